// Checks the built site: each link leads to a page and a place of it, and nothing is loaded from
// elsewhere.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const site = join(dirname(fileURLToPath(import.meta.url)), '../../bin/site')
const problems = []
const files = readdirSync(site, { recursive: true }).map(String)
const pages = new Map(files.filter((f) => f.endsWith('.html')).map((f) => [f, readFileSync(join(site, f), 'utf8')]))
const ids = new Map([...pages].map(([f, text]) => [f, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map((m) => m[1]))]))

const decode = (text) => decodeURIComponent(text.replaceAll('&amp;', '&'))

for (const [file, text] of pages) {
  // What a browser loads by itself.
  for (const m of text.matchAll(/<(?:script|img|iframe|source|video|audio)[^>]*?\ssrc="([^"]+)"|<link(?![^>]*rel="canonical")[^>]*?\shref="([^"]+)"/g)) {
    const url = m[1] ?? m[2]
    if (url.startsWith('data:')) continue
    if (/^([a-z]+:)?\/\//.test(url)) problems.push(`${file} loads ${url}`)
    else if (!existsSync(join(site, decode(url)))) problems.push(`${file}: there is no ${url}`)
  }
  for (const m of text.matchAll(/<a[^>]*?\shref="([^"]+)"/g)) {
    if (/^[a-z]+:/.test(m[1])) continue
    const [path, anchor] = decode(m[1]).split('#')
    let target = path === '' ? file : posix.join(path.startsWith('/') ? '' : posix.dirname(file), path).replace(/^\//, '')
    if (target === '' || target.endsWith('/')) target += 'index.html'
    if (!pages.has(target) && pages.has(target + '.html')) target += '.html'
    if (!pages.has(target) && !existsSync(join(site, target))) problems.push(`${file}: ${m[1]} leads nowhere`)
    else if (anchor && pages.has(target) && !ids.get(target).has(anchor)) problems.push(`${file}: ${target} has no place ${anchor}`)
  }
}
// Styles and scripts name no other host either; a link in a text is for readers.
for (const file of files.filter((f) => f.endsWith('.css'))) {
  for (const m of readFileSync(join(site, file), 'utf8').matchAll(/(?:url\(|@import\s*)['"]?((?:https?:)?\/\/[^)'"]+)/g)) {
    problems.push(`${file} loads ${m[1]}`)
  }
}
if (pages.size < 15) problems.push(`there are only ${pages.size} pages`)
for (const p of problems) console.error(p)
console.log(`${pages.size} pages, ${problems.length} problems`)
process.exit(problems.length ? 1 : 0)
