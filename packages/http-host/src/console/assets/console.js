// What pages gain by a script: times of the viewer, copy buttons, keys. All pages work without it.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
];
/** Older times are shown as they are. */
const RELATIVE_SECONDS = 7 * DAY;

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' });
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Chosen by the viewer, and on paper. */
let isExact = localStorage.getItem('times') === 'exact';

function fromNow(date) {
  const seconds = (date.getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) > RELATIVE_SECONDS) return short.format(date);
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / length), unit);
}

function showTimes(within) {
  for (const element of within.querySelectorAll('time[datetime]:not([data-exact])')) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    element.title = `${exact.format(date)} ${zone}`;
    element.textContent = isExact ? exact.format(date) : fromNow(date);
  }
  for (const element of within.querySelectorAll('[data-zone]')) element.textContent = zone;
}

function showButtons(within) {
  const buttons = within.querySelectorAll('button[data-copy], button[data-print], [data-times]');
  for (const button of buttons) button.hidden = false;
}

function enhance(within) {
  showTimes(within);
  showButtons(within);
}

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy);
  const label = button.getAttribute('aria-label');
  button.setAttribute('aria-label', 'Copied');
  button.classList.add('copied');
  setTimeout(() => {
    button.classList.remove('copied');
    if (label === null) button.removeAttribute('aria-label');
    else button.setAttribute('aria-label', label);
  }, 1500);
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-copy]');
  if (button !== null) void copy(button);
  if (event.target.closest('button[data-print]') !== null) print();
});

// What is typed counts: it chooses the option that it belongs to.
document.addEventListener('input', ({ target }) => {
  const option = document.getElementById(target.closest('[data-chooses]')?.dataset.chooses);
  if (option !== null && target.value !== '') option.checked = true;
});

const times = document.querySelector('[data-times]');
function chooseTimes(chosen) {
  isExact = chosen;
  times?.setAttribute('aria-pressed', String(isExact));
  showTimes(document);
}
times?.addEventListener('click', () => {
  localStorage.setItem('times', isExact ? 'relative' : 'exact');
  chooseTimes(!isExact);
});

addEventListener('beforeprint', () => {
  const printed = document.querySelector('[data-printed]');
  if (printed !== null) printed.textContent = `Printed ${exact.format(new Date())} ${zone}`;
  chooseTimes(true);
});
addEventListener('afterprint', () => chooseTimes(localStorage.getItem('times') === 'exact'));

function searchField() {
  return document.querySelector('[data-search], input[type="search"]');
}

let before = '';

function onKey(event) {
  const isTyping = event.target.closest('input, textarea, select') !== null;
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  const sequence = `${before} ${key}`;
  before = key;
  if (key === '/') {
    event.preventDefault();
    const field = searchField();
    if (field !== null) return field.focus();
    const transactions = document.querySelector('.sections a[href$="/transactions"]');
    if (transactions !== null) location.assign(`${transactions.href}#search`);
  } else if (key === '?') {
    document.querySelector('#keys')?.showModal();
  } else if (sequence.startsWith('g ')) {
    document.querySelector(`.sections a[data-key="${CSS.escape(key)}"]`)?.click();
  }
}
document.addEventListener('keydown', onKey);

// The menu is open without a script; on a narrow screen it would hide the page.
const menu = document.querySelector('.menu');
const wide = matchMedia('(min-width: 60rem)');
function fitMenu() {
  if (menu !== null) menu.open = wide.matches;
}
wide.addEventListener('change', fitMenu);
fitMenu();

document.querySelector('[data-focus]')?.focus();
// By the key for it, from a page without a search.
if (location.hash === '#search') searchField()?.focus();
times?.setAttribute('aria-pressed', String(isExact));
document.addEventListener('htmx:after:swap', () => enhance(document));
enhance(document);
