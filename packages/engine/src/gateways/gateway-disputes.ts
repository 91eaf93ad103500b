/** The part of the port by which a gateway is given the answers to disputes. */
import type { DisputeEvidence } from '@counterfoil/core';
import type { AccountContext } from './gateway-account.ts';

export interface EvidenceFileContent {
  /** As it was given: `receipt.pdf`. */
  readonly name: string;
  readonly mediaType: (typeof DisputeEvidence.MEDIA_TYPES)[number];
  readonly content: Uint8Array;
}

interface AnswerRequest {
  /** The gateway's id of the dispute, as its events have reported it. */
  readonly reference: string;
  readonly idempotencyKey: string;
}

export interface EvidenceRequest extends AnswerRequest {
  /** What is said, by free names. */
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly (Omit<EvidenceFileContent, 'content'> & {
    /** SHA-256, hex. */
    readonly digest: string;
    /** As `keepFile` has answered. */
    readonly fileId: string;
  })[];
}

/** `taken`: the answer is with the gateway. `refused`: it never will be. */
export type AnswerResult =
  | { readonly result: 'taken'; readonly note: string }
  | { readonly result: 'refused'; readonly note: string };

/**
 * Answers to disputes that its `events` have reported. The same key always has one effect; what throws is
 * asked again. Notes are recorded, and may not quote what was sent.
 */
export interface GatewayDisputes {
  /** Why the gateway takes no such evidence; asked before anything is sent. Pure. */
  refusalOf(
    evidence: Pick<EvidenceRequest, 'fields'> & {
      readonly files: readonly Omit<EvidenceRequest['files'][number], 'fileId'>[];
    },
  ): string | undefined;
  /** The gateway's id of a file; undefined where it takes no such file. */
  keepFile(
    request: EvidenceFileContent & { readonly idempotencyKey: string },
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  submitEvidence(
    request: EvidenceRequest,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<AnswerResult>;
  /** The money is given up. */
  accept(
    request: AnswerRequest,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<AnswerResult>;
}
