/** Multipart bodies of file uploads. */
import { emptyForm, type FormObject, keysOf, put } from './form.ts';
import { invalidRequest } from './refusal.ts';
import type { Upload } from './route.ts';

export async function readMultipart(
  body: Uint8Array<ArrayBuffer>,
  type: string,
): Promise<{ form: FormObject; upload: Upload | undefined }> {
  const form = emptyForm();
  let upload: Upload | undefined;
  const parts = await new Response(body, { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw invalidRequest('Invalid multipart body');
    });
  for (const [name, value] of parts) {
    if (typeof value === 'string') {
      put(form, keysOf(name), value);
    } else if (name === 'file') {
      const bytes = new Uint8Array(await value.arrayBuffer());
      upload = { filename: value.name, type: value.type, bytes };
    }
  }
  return { form, upload };
}
