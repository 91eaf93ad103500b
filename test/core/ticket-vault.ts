/** Vaults for tests, local or asynchronous, that store the texts themselves. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DistantVault, PersonalDataVault, Subject } from '@counterfoil/core';

/** Hands out tickets for texts, each for one person and one type of event. */
export class TicketVault implements PersonalDataVault {
  readonly #texts = new Map<string, string>();
  readonly #erased = new Set<string>();

  /** What the keys of one person can do now, whatever becomes of them. */
  keyOf(subject: Subject): PersonalDataVault {
    if (this.#erased.has(nameOf(subject))) {
      return { seal: () => undefined, open: () => undefined };
    }
    return {
      seal: (whom, personal) => this.#seal(whom, personal),
      open: (whom, personal) => this.#open(whom, personal),
    };
  }

  erase(subject: Subject): void {
    this.#erased.add(nameOf(subject));
  }

  seal(subject: Subject, { eventType, text }: { eventType: string; text: string }) {
    return this.keyOf(subject).seal(subject, { eventType, text });
  }

  #seal(subject: Subject, { eventType, text }: { eventType: string; text: string }): string {
    const ticket = `ticket-${this.#texts.size}`;
    this.#texts.set(`${ticket} ${nameOf(subject)} ${eventType}`, text);
    return ticket;
  }

  open(subject: Subject, { eventType, sealed }: { eventType: string; sealed: string }) {
    return this.keyOf(subject).open(subject, { eventType, sealed });
  }

  #open(subject: Subject, { eventType, sealed }: { eventType: string; sealed: string }): string {
    const text = this.#texts.get(`${sealed} ${nameOf(subject)} ${eventType}`);
    if (text === undefined) throw new Error('no such ticket');
    return text;
  }
}

/**
 * The same texts, asked for from elsewhere: each batch can open and seal for those alone who were
 * asked for, as they were when somebody was asked about them first, until they are forgotten.
 */
export class DistantTicketVault implements DistantVault {
  /** How many persons were asked for at a time, to open. */
  readonly openings: number[] = [];
  readonly #tickets: TicketVault;
  readonly #remembered = new Map<string, PersonalDataVault>();

  constructor(tickets: TicketVault) {
    this.#tickets = tickets;
  }

  async forOpening(subjects: readonly Subject[]): Promise<PersonalDataVault> {
    this.openings.push(subjects.length);
    await nextTurn();
    return this.#atHand(subjects);
  }

  async forSealing(subjects: readonly Subject[]): Promise<PersonalDataVault> {
    await nextTurn();
    return this.#atHand(subjects);
  }

  forget(subject: Subject): void {
    this.#remembered.delete(nameOf(subject));
  }

  #atHand(subjects: readonly Subject[]): PersonalDataVault {
    const held = new Map(subjects.map((subject) => [nameOf(subject), this.#keyOf(subject)]));
    const keyOf = (subject: Subject): PersonalDataVault => {
      const key = held.get(nameOf(subject));
      if (key === undefined) throw new Error(`no key was requested for ${nameOf(subject)}`);
      return key;
    };
    return {
      seal: (subject, personal) => keyOf(subject).seal(subject, personal),
      open: (subject, personal) => keyOf(subject).open(subject, personal),
    };
  }

  #keyOf(subject: Subject): PersonalDataVault {
    const name = nameOf(subject);
    const key = this.#remembered.get(name) ?? this.#tickets.keyOf(subject);
    this.#remembered.set(name, key);
    return key;
  }
}

function nameOf({ tenantId, sandbox, customerId }: Subject): string {
  return `${tenantId}/${sandbox}/${customerId}`;
}
