// The site: README.md and docs/*.md, as they are in the repository. docs/README.md is the list of
// pages, from which the navigation is made.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const repository = 'https://github.com/informerd/informerd'

// contents reads the list: a heading "## " is a group, "- [TITLE](PAGE.md): …" one of its pages.
function contents() {
  const groups = []
  for (const line of readFileSync(join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const heading = /^## (.*)$/.exec(line)
    const page = /^- \[([^\]]+)\]\(([a-z0-9-]+)\.md\)/.exec(line)
    if (heading) groups.push({ text: heading[1], items: [] })
    else if (page) groups.at(-1).items.push({ text: page[1], link: '/' + page[2] })
  }
  return groups
}

// onSite returns where a page is on the site.
function onSite(file) {
  return { 'README.md': 'index.md', 'docs/README.md': 'contents.md' }[file] ?? file.replace(/^docs\//, '')
}

// target returns where a link of a page leads: to another page of the site, or to the repository.
// A link that leads nowhere is an error.
function target(page, href) {
  if (/^[a-z]+:|^#/.test(href)) return href
  const [path, anchor] = href.split('#')
  const file = normalize(join(dirname(page), path))
  if (!existsSync(join(root, file))) throw new Error(`${page}: ${href} leads nowhere`)
  const fragment = anchor ? '#' + anchor : ''
  if (/^(README\.md|docs\/[^/]+\.md)$/.test(file)) return '/' + onSite(file) + fragment
  const kind = statSync(join(root, file)).isDirectory() ? 'tree' : 'blob'
  return `${repository}/${kind}/main/${file.replace(/\/$/, '')}${fragment}`
}

// GitHub's anchors, which the links of the pages use.
function slug(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replace(/ /g, '-')
}

// The languages of blocks that the highlighter has under another name, or not at all.
const languages = { data: 'js', diagram: 'txt', events: 'txt', expr: 'js', promql: 'txt' }

function language(info) {
  const [name] = info.trim().split(' ')
  return languages[name] ?? name
}

const module = (name) => fileURLToPath(import.meta.resolve(name))

export default {
  title: 'informerd',
  description: 'Acts when a Kubernetes object changes: one binary, one configuration',
  lang: 'en',
  srcDir: '../..',
  srcExclude: readdirSync(root, { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? (e.name === 'docs' ? [] : [e.name + '/**']) : e.name === 'README.md' ? [] : [e.name]),
  outDir: '../../bin/site',
  cacheDir: '../../bin/site-cache',
  cleanUrls: false,
  metaChunk: true,
  buildConcurrency: 1, // the index of the search has pages in the order in which they were read
  rewrites: onSite,
  // The pages are outside of this folder, where Vue's modules are not found.
  vite: {
    resolve: { alias: { 'vue/server-renderer': module('vue/server-renderer'), vue: module('vue') } },
  },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: slug },
    config(md) {
      // The words behind a language say how the block is tested.
      md.core.ruler.push('informerd', (state) => {
        const page = relative(root, state.env.realPath ?? state.env.path)
        const walk = (tokens) => {
          for (const token of tokens) {
            if (token.type === 'fence') token.info = language(token.info)
            if (token.type === 'link_open') {
              token.attrSet('href', target(page, token.attrGet('href')))
            }
            if (token.children) walk(token.children)
          }
        }
        walk(state.tokens)
      })
    },
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/getting-started' },
      { text: 'All pages', link: '/contents' },
    ],
    sidebar: contents(),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
  },
}
