/** What a terminal gets to see of an event. */
import { stripVTControlCharacters } from 'node:util';
import type { StoredEvent } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import { eventLine } from './event-lines.ts';

describe('the line of an event', () => {
  it('shows the controls in a note, and does not send them', () => {
    const note = 'no\u001b[2J\u009b1A\r\nRefunded amount=1.00\u202e';
    const data = JSON.stringify({ note });
    const metadata = JSON.stringify({ actor: 'ada@example.com' });
    const event = { type: 'RefundFailed', data, metadata } as StoredEvent;
    expect(stripVTControlCharacters(eventLine(event))).toContain(
      String.raw`note=no\u001b[2J\u009b1A\u000d\u000aRefunded amount=1.00\u202e`,
    );
  });
});
