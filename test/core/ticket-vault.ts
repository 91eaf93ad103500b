/** A vault for tests that keeps the texts itself. */
import type { PersonalDataVault, Subject } from '@counterfoil/core';

/** Hands out tickets for texts, each for one person and one type of event. */
export class TicketVault implements PersonalDataVault {
  readonly #texts = new Map<string, string>();
  readonly #erased = new Set<string>();

  erase(subject: Subject): void {
    this.#erased.add(nameOf(subject));
  }

  seal(subject: Subject, { eventType, text }: { eventType: string; text: string }) {
    if (this.#erased.has(nameOf(subject))) return undefined;
    const ticket = `ticket-${this.#texts.size}`;
    this.#texts.set(`${ticket} ${nameOf(subject)} ${eventType}`, text);
    return ticket;
  }

  open(subject: Subject, { eventType, sealed }: { eventType: string; sealed: string }) {
    if (this.#erased.has(nameOf(subject))) return undefined;
    const text = this.#texts.get(`${sealed} ${nameOf(subject)} ${eventType}`);
    if (text === undefined) throw new Error('no such ticket');
    return text;
  }
}

function nameOf({ tenantId, sandbox, customerId }: Subject): string {
  return `${tenantId}/${sandbox}/${customerId}`;
}
