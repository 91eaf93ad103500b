/** Findings of an examination, and the verdict on them. */
import { ConfigError } from '../settings.ts';

/** The checks, in the order in which they are made. */
export const CHECKS = {
  files: 'files and permissions',
  'master-key': 'master key',
  'personal-keys': 'keys of customers',
  pages: 'databases',
  order: 'order of the log',
  streams: 'events and streams',
  journal: 'journal',
  loss: 'end of the log',
  gateways: 'gateways of accounts',
  credentials: 'credentials at gateways',
  parked: 'parked streams',
  'open-intents': 'open intents',
  'read-models': 'read models',
} as const;

export type CheckName = keyof typeof CHECKS;

/**
 * `warning`: the data is intact, but the operator should act. `unexamined`: something could not be
 * examined, and nothing is known of it. `damage`: data is lost or wrong.
 */
export type Severity = 'warning' | 'unexamined' | 'damage';

export interface Finding {
  readonly check: CheckName;
  readonly severity: Severity;
  /** What is wrong, where, and what it means. */
  readonly message: string;
  /** What to do. */
  readonly advice: string;
}

/** One check that was made, or the reason why it was not. */
export interface Checked {
  readonly check: CheckName;
  /** What was looked at. */
  readonly looked: string;
  readonly skipped?: string;
  readonly findings: readonly Finding[];
}

/** The worst that was found. */
export type Verdict = 'sound' | 'warnings' | 'unexamined' | 'damage';

export function verdictOn(checks: readonly Checked[]): Verdict {
  const found = new Set(checks.flatMap(({ findings }) => findings.map(({ severity }) => severity)));
  if (found.has('damage')) return 'damage';
  if (found.has('unexamined')) return 'unexamined';
  return found.has('warning') ? 'warnings' : 'sound';
}

export const IN_QUICK = 'left out by --quick';

/** Findings with the same advice that are listed one by one. */
const MAX_ALIKE = 5;

interface Alike {
  readonly severity: Severity;
  readonly advice: string;
  readonly messages: string[];
  count: number;
}

/** Collects the findings of a check: lists the first ones of each kind, counts the others. */
export class Findings {
  readonly #check: CheckName;
  readonly #kinds = new Map<string, Alike>();

  constructor(check: CheckName) {
    this.#check = check;
  }

  warn(message: string, advice: string): void {
    this.#add('warning', message, advice);
  }

  unexamined(message: string, advice: string): void {
    this.#add('unexamined', message, advice);
  }

  damage(message: string, advice: string): void {
    this.#add('damage', message, advice);
  }

  #add(severity: Severity, message: string, advice: string): void {
    const kind = this.#kinds.get(`${severity}/${advice}`) ?? {
      severity,
      advice,
      messages: [],
      count: 0,
    };
    this.#kinds.set(`${severity}/${advice}`, kind);
    kind.count += 1;
    if (kind.messages.length < MAX_ALIKE) kind.messages.push(message);
  }

  /** The check as it was made. */
  made(looked: string): Checked {
    return { check: this.#check, looked, findings: this.#list() };
  }

  /** The check as interrupted or not begun, with what it had found. */
  leftOut(skipped: string): Checked {
    return { check: this.#check, looked: '', skipped, findings: this.#list() };
  }

  #list(): Finding[] {
    const check = this.#check;
    return [...this.#kinds.values()].flatMap(({ severity, advice, messages, count }) => {
      const more = count - messages.length;
      const listed = more > 0 ? [...messages, `and ${more} more like these`] : messages;
      return listed.map((message) => ({ check, severity, message, advice }));
    });
  }
}

/** The first line of an error's message; of settings that cannot be used, what is wrong with them. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join('; ');
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
