// What a call goes through when a fault is set for it.

import type { CallContext } from './call-context.ts';
import type { Fault, Moment, Refusal } from './faults.ts';

/** `silence`: the call is never answered, its connection is gone or the whole node. */
export type Met = 'goOn' | 'silence' | { readonly refused: Refusal };

/** Before a write is applied, and after. */
export async function meetFault(
  context: CallContext,
  peer: string,
  fault: Fault | undefined,
  moment: Moment,
): Promise<Met> {
  if (fault === undefined || momentOf(fault) !== moment) return 'goOn';
  switch (fault.kind) {
    case 'drop':
      context.dropConnection(peer);
      return 'silence';
    case 'die':
      context.die();
      return 'silence';
    case 'stall':
      await context.faults.stall();
      return 'goOn';
    case 'refuse':
      return { refused: fault.reason };
    case 'duplicate':
    case 'cut':
      return 'goOn';
  }
}

/** For calls that change nothing, to which before and after are the same. */
export function meetFaultOfRead(
  context: CallContext,
  peer: string,
  fault: Fault | undefined,
): Promise<Met> {
  const moment = fault === undefined ? 'beforeApply' : momentOf(fault);
  return meetFault(context, peer, fault, moment);
}

function momentOf(fault: Fault): Moment {
  return 'when' in fault ? (fault.when ?? 'beforeApply') : 'beforeApply';
}
