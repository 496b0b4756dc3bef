// Numbers, times and sizes as people read them. All texts are English, whatever the browser's
// language is, since the rest of the page is.

const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const tenth = new Intl.NumberFormat('en', {maximumFractionDigits: 1});

export const count = (n) => (n === undefined || n === null ? '–' : whole.format(n));

export const plural = (n, one, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`;

// rate is a number per second. What is not known yet is a dash.
export function rate(n) {
  if (n === undefined || n === null || Number.isNaN(n)) return '–';
  if (n > 0 && n < 0.05) return '<0.1/s';
  return (n < 10 ? tenth : whole).format(n) + '/s';
}

// age is a duration in seconds.
export function age(seconds) {
  if (!(seconds > 0)) return '0 s';
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 10) return `${tenth.format(seconds)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

export function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (n >= 1024 && unit < units.length - 1) {
    n /= 1024;
    unit++;
  }
  return `${(n < 10 && unit ? tenth : whole).format(n)} ${units[unit]}`;
}

// clock is the time of day of an RFC 3339 time, in the browser's zone.
export const clock = (time) => new Date(time).toLocaleTimeString('en', {hour12: false});

export const since = (time, now) => (now - new Date(time)) / 1000;

// visible has marks instead of characters that do not show or that change the direction of what
// follows: names and messages are made by others.
export const visible = (text) =>
  String(text ?? '').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '\ufffd');
