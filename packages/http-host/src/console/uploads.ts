/** Forms with a file: `multipart/form-data`, as browsers send it. */
import { refuse } from '../http/errors.ts';
import type { UploadDefinition } from '../http/upload.ts';
import type { Values } from './endpoint-base.ts';
import type { SentFile } from './slice.ts';

const MEDIA_TYPE = 'multipart/form-data';
/** Of the fields beside the file. */
const FIELD_BYTES = 64 * 1_024;
/** RFC 2046. */
const MAX_BOUNDARY = 70;

export function multipart(fileBytes: number): UploadDefinition {
  const maxBytes = fileBytes + FIELD_BYTES;
  return { mediaType: MEDIA_TYPE, anyParameters: true, maxBytes, example: '' };
}

interface UploadedForm {
  readonly fields: Values;
  readonly file: SentFile | undefined;
}

/** The fields, and the file in the field of this name if one was chosen. Others are left out. */
export async function uploadedForm(
  content: AsyncIterable<Uint8Array>,
  fileField: string,
): Promise<UploadedForm> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(Uint8Array.from(chunk));
  const form = await formIn(Buffer.concat(chunks));
  const names = new Set(form.keys());
  const fields = [...names].map((name): [string, readonly string[]] => [
    name,
    form.getAll(name).filter((value) => typeof value === 'string'),
  ]);
  const file = form.get(fileField);
  return {
    fields: Object.fromEntries(
      fields
        .filter(([, values]) => values.length > 0)
        .map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
    ),
    file:
      file instanceof File && file.size > 0
        ? { name: file.name, content: new Uint8Array(await file.arrayBuffer()) }
        : undefined,
  };
}

/** The first line has the boundary. */
async function formIn(bytes: Buffer): Promise<FormData> {
  const end = bytes.indexOf('\r\n');
  const boundary = bytes.toString('latin1', 2, Math.min(Math.max(end, 2), MAX_BOUNDARY + 2));
  try {
    const headers = { 'Content-Type': `${MEDIA_TYPE}; boundary=${boundary}` };
    return await new Response(bytes, { headers }).formData();
  } catch {
    throw refuse('invalid_request', 'The form cannot be read');
  }
}
