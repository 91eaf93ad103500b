/** What is kept to represent a chargeback with; the content itself is kept beside the log, sealed. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId, type TransactionId } from '../kernel/ids.ts';

/** SHA-256, in hex. */
export const Digest = z.string().regex(/^[0-9a-f]{64}$/);

export const MEDIA_TYPES = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/tiff',
  'text/plain',
] as const;
export const MAX_FILES = 20;

export const events = {
  EvidenceKept: event({
    digest: Digest,
    mediaType: z.enum(MEDIA_TYPES),
    bytes: z.int().positive(),
    at: Instant,
  }),
  /** The chargeback was represented with these files. `fieldCount`: what was said besides. */
  EvidenceSubmitted: event({
    digests: z.array(Digest).max(MAX_FILES),
    fieldCount: z.int().nonnegative(),
    at: Instant,
  }),
};
export type Event = EventsOf<typeof events>;
export type File = Omit<Extract<Event, { type: 'EvidenceKept' }>, 'type'>;

export type Command = {
  readonly tenantId: TenantId;
  readonly disputeId: TransactionId;
  readonly at: string;
} & (
  | { readonly type: 'KeepEvidence'; readonly file: Omit<File, 'at'> }
  | {
      readonly type: 'SubmitEvidence';
      readonly digests: readonly string[];
      readonly fieldCount: number;
    }
);

export type Rejection =
  | { readonly type: 'TooMuchEvidence'; readonly max: number }
  | { readonly type: 'EvidenceUnknown'; readonly digest: string };

export interface Evidence {
  /** In the order in which they came. */
  readonly files: readonly File[];
  /** When the chargeback was represented; null before. */
  readonly submittedAt: string | null;
}
export type State = Evidence;
export const initial: State = { files: [], submittedAt: null };

export function evolve(state: State, event: Event): State {
  switch (event.type) {
    case 'EvidenceKept': {
      const { type: _, ...file } = event;
      return { ...state, files: [...state.files, file] };
    }
    case 'EvidenceSubmitted':
      return { ...state, submittedAt: event.at };
    default:
      return never(event);
  }
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  const { at } = command;
  const has = (digest: string) => state.files.some((file) => file.digest === digest);
  switch (command.type) {
    case 'KeepEvidence': {
      if (has(command.file.digest)) return right([]);
      if (state.files.length >= MAX_FILES) return left({ type: 'TooMuchEvidence', max: MAX_FILES });
      return right([{ type: 'EvidenceKept', ...command.file, at }]);
    }
    case 'SubmitEvidence': {
      const { digests, fieldCount } = command;
      const unknown = digests.find((digest) => !has(digest));
      if (unknown !== undefined) return left({ type: 'EvidenceUnknown', digest: unknown });
      if (state.submittedAt !== null) return right([]);
      return right([{ type: 'EvidenceSubmitted', digests: [...digests], fieldCount, at }]);
    }
    default:
      return never(command);
  }
}

export function streamOf(command: {
  readonly tenantId: TenantId;
  readonly disputeId: TransactionId;
}): StreamName {
  return streamName('dispute_evidence', command.tenantId, command.disputeId);
}
