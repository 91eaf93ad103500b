/** The script of the card form, in a frame of the host: the card is here, or in a frame of the gateway's within. */
import { byId, type CardEntry } from './card-entry.ts';
import { CardFields } from './card-fields.ts';
import { type Answer, Checkout, type Session } from './checkout.ts';
import {
  type CardFormEvent,
  type FrameMessage,
  messageOf,
  post,
  type Setup,
  type Theme,
} from './messages.ts';
import { ScriptCard } from './script-card.ts';
import { type TextName, Texts } from './texts.ts';

const POLL_MS = 3_000;
const MAX_POLLS = 100;

const { dataset } = document.documentElement;
/** The page that this frame may stand in, as the host has admitted it. */
const PAGE = dataset['page'] ?? '';
const KEY = dataset['key'] ?? '';

const form = byId<HTMLFormElement>('form');
const button = byId<HTMLButtonElement>('pay');
const status = byId('status');
const challenge = byId('challenge');

let texts = new Texts();
let checkout: Checkout | undefined;
let session: Session | undefined;
let locale: string | undefined;
let isBusy = false;

const { script } = dataset;
const fields: CardEntry =
  script === undefined
    ? new CardFields(() => texts)
    : new ScriptCard(JSON.parse(script), () => texts);

function tell(message: FrameMessage): void {
  post(parent, message, PAGE);
}

function emit(type: CardFormEvent['type'], more: Partial<CardFormEvent> = {}): void {
  if (session === undefined) return;
  const { id: sessionId, payment } = session;
  const paymentId = payment === null ? {} : { paymentId: payment.id };
  tell({ type: 'event', event: { type, sessionId, ...paymentId, ...more } });
}

function say(name: TextName | undefined, kind: 'info' | 'error' | 'good' = 'info'): void {
  status.textContent = name === undefined ? '' : texts.of(name);
  status.dataset['kind'] = kind;
}

function amount(): string {
  if (session === undefined) return '';
  const { currency, amount: value } = session;
  try {
    return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(value);
  } catch {
    return `${value} ${currency}`;
  }
}

function setBusy(busy: boolean): void {
  isBusy = busy;
  form.setAttribute('aria-busy', String(busy));
  button.setAttribute('aria-disabled', String(busy));
  fields.lock(busy);
  button.textContent = busy ? texts.of('paying') : texts.of('pay', { amount: amount() });
}

function showForm(isShown: boolean): void {
  form.hidden = !isShown;
  challenge.hidden = true;
  byId('challenge-frame').replaceChildren();
}

const REFUSALS: Readonly<Record<string, TextName>> = {
  network: 'offline',
  checkout_session_state: 'busy',
  rate_limited: 'busy',
  card_invalid: 'number.wrong',
};

/** What an answer means for the buyer. */
async function conclude(answer: Answer): Promise<void> {
  if ('code' in answer) {
    if (answer.code === 'checkout_session_state') await refresh();
    if (answer.code === 'token_unknown') fields.clear();
    setBusy(false);
    if (session?.status === 'open') say(REFUSALS[answer.code] ?? 'failed', 'error');
    emit('failed', { reason: answer.code });
    return;
  }
  session = answer.session;
  const { payment } = session;
  if (session.status === 'complete') {
    showForm(false);
    say('complete', 'good');
    status.focus();
    emit('complete', { successUrl: session.successUrl });
  } else if (session.status === 'processing') {
    say('processing');
    emit('processing');
    await poll();
  } else if (session.status === 'expired') {
    showForm(false);
    say('expired', 'error');
    emit('expired');
  } else if (payment?.nextAction) {
    showChallenge(payment.nextAction.url);
  } else {
    setBusy(false);
    if (payment?.declineReason && answer.status === 402) showDecline(payment.declineReason);
    else showForm(true);
  }
}

function showDecline(reason: string): void {
  const isUsedUp = session?.attemptsLeft === 0;
  showForm(!isUsedUp);
  say(isUsedUp ? 'usedUp' : (reason as TextName), 'error');
  if (!isUsedUp) fields.clear();
  emit('declined', { reason });
}

async function refresh(): Promise<void> {
  const answer = await checkout?.show();
  if (answer !== undefined && 'session' in answer) await conclude(answer);
}

async function poll(): Promise<void> {
  for (let count = 0; count < MAX_POLLS; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const answer = await checkout?.show();
    if (answer === undefined || 'code' in answer) continue;
    if (answer.session.status === 'processing') continue;
    // What became of the card is told like the answer to it.
    const isDeclined = answer.session.payment?.declineReason != null;
    return conclude({ ...answer, status: isDeclined ? 402 : answer.status });
  }
  say('failed', 'error');
}

function showChallenge(url: string): void {
  const frame = document.createElement('iframe');
  frame.src = url;
  frame.title = texts.of('action');
  // A bank's page may not lead the page of the shop away.
  frame.setAttribute('sandbox', 'allow-forms allow-scripts allow-same-origin allow-popups');
  form.hidden = true;
  challenge.hidden = false;
  byId('challenge-frame').replaceChildren(frame);
  say('action');
  challenge.focus();
  emit('action');
}

async function leaveChallenge(outcome: 'done' | 'given-up'): Promise<void> {
  if (checkout === undefined || challenge.hidden) return;
  challenge.hidden = true;
  say('processing');
  const answer = await checkout.conclude(outcome);
  if (outcome === 'done') return conclude(answer);
  await conclude('session' in answer ? { ...answer, status: 200 } : answer);
  if (session?.status === 'open') {
    say(undefined);
    fields.clear();
  }
}

async function submit(): Promise<void> {
  if (isBusy || checkout === undefined || session === undefined) return;
  // Before anything is waited for: a second click is none.
  setBusy(true);
  const instrument = await fields.read();
  if (instrument === undefined) return setBusy(false);
  say('paying');
  emit('submitted');
  await conclude(await checkout.pay(instrument, session.attempt, PAGE));
}

const VARIABLES: Readonly<Record<Exclude<keyof Theme, 'scheme'>, string>> = {
  accent: 'color',
  onAccent: 'color',
  background: 'background-color',
  text: 'color',
  border: 'border-color',
  danger: 'color',
  radius: 'border-radius',
  fontSize: 'font-size',
  fontFamily: 'font-family',
};

function applyTheme({ scheme, ...theme }: Theme = {}): void {
  dataset['scheme'] = scheme ?? 'auto';
  for (const [name, property] of Object.entries(VARIABLES)) {
    const value = theme[name as keyof typeof theme];
    // Nothing that loads anything.
    if (typeof value !== 'string' || /url|var|attr|[;{}]/i.test(value)) continue;
    if (!CSS.supports(property, value)) continue;
    document.documentElement.style.setProperty(`--${name}`, value);
  }
}

async function begin(setup: Setup): Promise<void> {
  if (checkout !== undefined) return;
  texts = new Texts(setup.texts);
  locale = setup.locale;
  document.documentElement.dir = setup.direction === 'rtl' ? 'rtl' : 'ltr';
  if (locale !== undefined) document.documentElement.lang = locale;
  applyTheme(setup.theme);
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    element.textContent = texts.of(element.dataset['text'] as TextName);
  }
  const { sessionId, clientSecret } = setup;
  if (dataset['entry'] === 'none') return failToBegin(sessionId, 'no_merchant_account');
  fields.begin(locale);
  checkout = new Checkout({ key: KEY, sessionId, clientSecret });
  const answer = await checkout.show();
  if ('code' in answer) return failToBegin(sessionId, answer.code);
  session = answer.session;
  emit('ready');
  setBusy(false);
  await conclude(answer);
}

function failToBegin(sessionId: string, reason: string): void {
  say(REFUSALS[reason] ?? 'failed', 'error');
  tell({ type: 'event', event: { type: 'failed', sessionId, reason } });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});
byId('give-up').addEventListener('click', () => void leaveChallenge('given-up'));
addEventListener('message', (event: MessageEvent<unknown>) => {
  const ofPage = messageOf(event, { source: parent, origin: PAGE });
  if (ofPage?.type === 'setup') void begin(ofPage.setup);
  const inner = byId('challenge-frame').querySelector('iframe');
  const own = { source: inner?.contentWindow, origin: location.origin };
  if (messageOf(event, own)?.type === 'returned') void leaveChallenge('done');
});
new ResizeObserver(() => {
  tell({ type: 'height', height: document.documentElement.offsetHeight });
}).observe(document.documentElement);
tell({ type: 'loaded' });
