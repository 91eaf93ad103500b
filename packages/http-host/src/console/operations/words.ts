/** What the pages of operations have in common: their address, their parts, and how they say things. */
import { holdsCardNumber } from '@counterfoil/engine/gateways';
import { OPERATOR_SCOPE } from '../../operator/operators.ts';
import type { Visit } from '../slice.ts';

export const PATH = '/operations';
export const PARKED = `${PATH}/parked-streams`;
export const DOCTOR = `${PATH}/doctor`;
export const MODEL = `${PATH}/read-models/{projection}`;
export const SCOPE = OPERATOR_SCOPE;

const LONGEST_REASON = 200;
/** Lags are counted up to here. */
const MOST_COUNTED = 1_000;

export function partsOf(visit: Visit, current: string) {
  return [
    { title: 'Host', path: PATH },
    { title: 'Parked streams', path: PARKED },
    { title: 'Doctor', path: DOCTOR },
  ].map(({ title, path }) => ({ title, href: visit.href(path), isCurrent: path === current }));
}

export function modelPath(projection: string): string {
  return MODEL.replace('{projection}', projection);
}

export function stateOf({ isReady }: { readonly isReady: boolean }) {
  return isReady ? { text: 'Answers', tone: 'good' } : { text: 'Being built', tone: 'warn' };
}

export interface Progress {
  readonly events: number;
  readonly seconds: number;
}

export function shownLag({ events, seconds }: Progress): string {
  if (events === 0) return 'None';
  const count = events >= MOST_COUNTED ? `${MOST_COUNTED} events or more` : `${events} events`;
  return `${count}, ${Math.round(seconds)} s`;
}

/** The first line of an error, shortened. */
export function shownReason(error: string): string {
  const [line = ''] = error.split('\n', 1);
  const plain = withoutQuotes(line);
  return plain.length > LONGEST_REASON ? `${plain.slice(0, LONGEST_REASON)}…` : plain;
}

/**
 * A text without what it quotes and without addresses: events hold personal data of all companies, and
 * errors quote events.
 */
export function withoutQuotes(text: string): string {
  if (holdsCardNumber(text)) return 'What went wrong is not shown here: it quotes a number';
  const words = text.replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, '…').split(' ');
  return words.map((word) => (holdsAddress(word) ? '…' : word)).join(' ');
}

function holdsAddress(word: string): boolean {
  const at = word.indexOf('@');
  return at >= 0 && word.includes('.', at);
}
