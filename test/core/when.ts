/** What an aggregate decides on a command after a past: `given` and `when` in one call. */
import type { Aggregate, CommandOf, EventOf } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';

export const whenOf =
  <Of extends Aggregate>(aggregate: Of) =>
  (past: readonly EventOf<Of>[], command: CommandOf<Of>) =>
    given(aggregate, past).when(command);
