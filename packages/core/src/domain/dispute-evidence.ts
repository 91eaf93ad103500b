/**
 * What is kept to represent a chargeback with, and what its gateway said to the answer. The content itself
 * is kept beside the log, sealed.
 */
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

/** `taken`: the gateway has it. `refused`: it never will, see `note`. */
const sent = {
  answer: z.enum(['evidence', 'acceptance']),
  /** Counts what was handed in, from 1; 0 of an acceptance. */
  submission: z.int().nonnegative(),
  result: z.enum(['taken', 'refused']),
  note: z.string().max(1_000),
};
const AnswerSent = z.strictObject(sent);

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
  /** The gateway of the payment was given the answer to the chargeback. */
  DisputeAnswerSent: event({ ...sent, at: Instant }),
};
export type Event = EventsOf<typeof events>;
export type File = Omit<Extract<Event, { type: 'EvidenceKept' }>, 'type'>;
export type AnswerSent = z.output<typeof AnswerSent>;
export type Answer = Pick<AnswerSent, 'answer' | 'submission'>;

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
  | ({ readonly type: 'RecordAnswerSent' } & AnswerSent)
);

export type Rejection =
  | { readonly type: 'TooMuchEvidence'; readonly max: number }
  | { readonly type: 'EvidenceUnknown'; readonly digest: string }
  /** Neither a file nor a field: what a bank is given is given once. */
  | { readonly type: 'EvidenceMissing' };

export interface Evidence {
  /** In the order in which they came. */
  readonly files: readonly File[];
  /** When the chargeback was represented; null before. */
  readonly submittedAt: string | null;
  /** Of the files that were handed in last. */
  readonly submittedDigests: readonly string[];
  readonly submissions: number;
  /** What the gateway said, in the order of the answers. */
  readonly sent: readonly (AnswerSent & { readonly at: string })[];
}
export type State = Evidence;
export const initial: State = {
  files: [],
  submittedAt: null,
  submittedDigests: [],
  submissions: 0,
  sent: [],
};

/** What the gateway said to an answer; undefined before. */
export function sentOf({ sent: all }: State, { answer, submission }: Answer) {
  return all.find((each) => each.answer === answer && each.submission === submission);
}

/** Evidence is handed in once, and again where the gateway refused it. */
export function mayBeSubmitted(state: State): boolean {
  const last = sentOf(state, { answer: 'evidence', submission: state.submissions });
  return state.submittedAt === null || last?.result === 'refused';
}

export function evolve(state: State, event: Event): State {
  switch (event.type) {
    case 'EvidenceKept': {
      const { type: _, ...file } = event;
      return { ...state, files: [...state.files, file] };
    }
    case 'EvidenceSubmitted': {
      const { at: submittedAt, digests: submittedDigests } = event;
      return { ...state, submittedAt, submittedDigests, submissions: state.submissions + 1 };
    }
    case 'DisputeAnswerSent': {
      const { type: _, ...answer } = event;
      return { ...state, sent: [...state.sent, answer] };
    }
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
    // Checked in this order: EvidenceUnknown, EvidenceMissing. A repetition changes nothing.
    case 'SubmitEvidence': {
      const { digests, fieldCount } = command;
      const unknown = digests.find((digest) => !has(digest));
      if (unknown !== undefined) return left({ type: 'EvidenceUnknown', digest: unknown });
      if (!mayBeSubmitted(state)) return right([]);
      if (digests.length + fieldCount === 0) return left({ type: 'EvidenceMissing' });
      return right([{ type: 'EvidenceSubmitted', digests: [...digests], fieldCount, at }]);
    }
    case 'RecordAnswerSent': {
      const { answer, submission, result, note } = command;
      if (sentOf(state, { answer, submission }) !== undefined) return right([]);
      return right([{ type: 'DisputeAnswerSent', answer, submission, result, note, at }]);
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
