/** Evidence for a representment: files and fields, sealed under the key of the customer. */
import { createHash } from 'node:crypto';
import {
  type AnyVault,
  DisputeEvidence,
  isDistant,
  type PersonalDataVault,
  type Subject,
  type TenantId,
  type TransactionId,
} from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { refused } from '../refusal.ts';
import type { EvidenceStore } from './evidence-store.ts';
import { mediaTypeOf } from './media-type.ts';

export const MAX_FILE_BYTES = 5 * 2 ** 20;
/** What is said besides files is kept under this name. */
const FIELDS = 'fields';
/** Under which the vault keeps contents and names apart from events. */
const SEALED_AS = 'DisputeEvidence';

export interface EvidenceFile {
  readonly digest: string;
  /** Empty once the customer is erased. */
  readonly name: string;
  readonly mediaType: DisputeEvidence.File['mediaType'];
  readonly bytes: number;
  readonly keptAt: string;
}

export interface EvidenceShown {
  readonly files: readonly EvidenceFile[];
  readonly fields: Readonly<Record<string, string>>;
  readonly submittedAt: string | null;
  /** Of the files that were handed in last. */
  readonly submittedDigests: readonly string[];
  /** What the gateway of the payment said to the answers that it was given. */
  readonly sent: DisputeEvidence.State['sent'];
}

/** What a chargeback was represented with. */
export interface HandedIn {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly Pick<EvidenceFile, 'digest' | 'name' | 'mediaType'>[];
}

/** A dispute, and whom it is about. */
export interface AboutDispute {
  readonly tenantId: TenantId;
  readonly disputeId: TransactionId;
  readonly subject: Subject;
}

export interface EvidenceServices {
  readonly commands: CommandRunner;
  readonly store: EvidenceStore;
  readonly vault: AnyVault;
}

interface Content {
  readonly name: string;
  readonly base64: string;
}

export class Evidence {
  readonly #services: EvidenceServices;

  constructor(services: EvidenceServices) {
    this.#services = services;
  }

  /** Refuses with `EvidenceTooLarge`, `EvidenceTypeUnknown` or `TooMuchEvidence`. */
  async keep(
    about: AboutDispute,
    { name, content }: { readonly name: string; readonly content: Uint8Array },
    caller: Caller,
  ): Promise<EvidenceFile> {
    const bytes = content.byteLength;
    if (bytes > MAX_FILE_BYTES) throw refused({ type: 'EvidenceTooLarge', max: MAX_FILE_BYTES });
    const mediaType = mediaTypeOf(content);
    if (mediaType === undefined) throw refused({ type: 'EvidenceTypeUnknown' });
    const { tenantId, disputeId } = about;
    const digest = createHash('sha256').update(content).digest('hex');
    const kept: Content = { name, base64: Buffer.from(content).toString('base64') };
    // The content first: an event never names what is not there.
    await this.#put(about, digest, kept);
    const { commands } = this.#services;
    const at = commands.clock.now();
    const file = { digest, mediaType, bytes };
    const { state } = await commands.execute(
      DisputeEvidence,
      { type: 'KeepEvidence', tenantId, disputeId, file, at },
      { commandId: uuidV7() },
      caller,
    );
    const keptAt = state.files.find((each) => each.digest === digest)?.at ?? at;
    return { ...file, name, keptAt };
  }

  /** Refuses with `EvidenceUnknown` for a file that was not kept, and with `EvidenceMissing` without anything. */
  async submit(
    about: AboutDispute,
    given: {
      readonly digests: readonly string[];
      readonly fields: Readonly<Record<string, string>>;
    },
    caller: Caller,
  ): Promise<void> {
    const { tenantId, disputeId } = about;
    const { digests, fields } = given;
    const { commands } = this.#services;
    // A field that says nothing is no evidence.
    const fieldCount = Object.values(fields).filter((text) => text.trim() !== '').length;
    const at = commands.clock.now();
    const command = {
      type: 'SubmitEvidence',
      tenantId,
      disputeId,
      digests,
      fieldCount,
      at,
    } as const;
    // The fields first, and only where they are submitted: those of before are shown until then.
    const foreseen = await commands.foreseen(DisputeEvidence, command);
    if (foreseen !== undefined && foreseen.events.length > 0)
      await this.#put(about, FIELDS, fields);
    await commands.execute(DisputeEvidence, command, { commandId: uuidV7() }, caller);
  }

  async of(about: AboutDispute): Promise<EvidenceShown> {
    const { files, submittedAt, submittedDigests, sent } = await this.#stateOf(about);
    const shown: EvidenceFile[] = [];
    for (const { at: keptAt, ...file } of files) {
      const content = await this.#get<Content>(about, file.digest);
      shown.push({ ...file, name: content?.name ?? '', keptAt });
    }
    const fields = submittedAt === null ? {} : await this.#fieldsOf(about);
    return { files: shown, fields: fields ?? {}, submittedAt, submittedDigests, sent };
  }

  /** Undefined once the customer is erased. */
  async handedIn(about: AboutDispute): Promise<HandedIn | undefined> {
    const { files, submittedDigests } = await this.#stateOf(about);
    const fields = await this.#fieldsOf(about);
    if (fields === undefined) return undefined;
    const handedIn: EvidenceFile[] = [];
    for (const { at: keptAt, ...file } of files) {
      if (!submittedDigests.includes(file.digest)) continue;
      const content = await this.#get<Content>(about, file.digest);
      if (content === undefined) return undefined;
      handedIn.push({ ...file, name: content.name, keptAt });
    }
    return { fields, files: handedIn };
  }

  #stateOf(about: AboutDispute): Promise<DisputeEvidence.State> {
    return this.#services.commands.stateOf(DisputeEvidence, DisputeEvidence.streamOf(about));
  }

  #fieldsOf(about: AboutDispute): Promise<EvidenceShown['fields'] | undefined> {
    return this.#get<EvidenceShown['fields']>(about, FIELDS);
  }

  /** Undefined where no such file was kept, or its customer is erased. */
  async content(
    about: AboutDispute,
    digest: string,
  ): Promise<{ readonly mediaType: string; readonly content: Buffer } | undefined> {
    const { files } = await this.#stateOf(about);
    const file = files.find((each) => each.digest === digest);
    const kept = file && (await this.#get<Content>(about, digest));
    if (file === undefined || kept === undefined) return undefined;
    return { mediaType: file.mediaType, content: Buffer.from(kept.base64, 'base64') };
  }

  async #put({ tenantId, disputeId, subject }: AboutDispute, digest: string, content: unknown) {
    const { store, vault } = this.#services;
    const text = JSON.stringify(content);
    const opened: PersonalDataVault = isDistant(vault) ? await vault.forSealing([subject]) : vault;
    const sealed = opened.seal(subject, { eventType: SEALED_AS, text });
    if (sealed === undefined) throw refused({ type: 'CustomerErased' });
    await store.put({ tenantId, disputeId, digest }, sealed);
  }

  async #get<Value>(
    { tenantId, disputeId, subject }: AboutDispute,
    digest: string,
  ): Promise<Value | undefined> {
    const { store, vault } = this.#services;
    const sealed = await store.get({ tenantId, disputeId, digest });
    if (sealed === undefined) return undefined;
    const opened: PersonalDataVault = isDistant(vault) ? await vault.forOpening([subject]) : vault;
    const text = opened.open(subject, { eventType: SEALED_AS, sealed });
    return text === undefined ? undefined : (JSON.parse(text) as Value);
  }
}
