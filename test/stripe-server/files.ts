/** Files that are uploaded as evidence. */
import { oneOf, required } from './params.ts';
import { invalidRequest } from './refusal.ts';
import { type Route, route } from './route.ts';

const MAX_EVIDENCE_BYTES = 5 * 1_024 * 1_024;
const TYPES: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
};

export const fileRoutes: readonly Route[] = [
  route(
    'POST',
    '/v1/files',
    {
      purpose: required(
        oneOf('dispute_evidence', 'identity_document', 'business_icon', 'business_logo'),
      ),
    },
    ({ state, upload }, { purpose }) => {
      if (upload === undefined) {
        throw invalidRequest('Missing required param: file.', {
          param: 'file',
          code: 'parameter_missing',
        });
      }
      const type = TYPES[upload.type];
      if (type === undefined || upload.bytes.length === 0) {
        throw invalidRequest(
          'Invalid file: it must be a PDF, JPEG or PNG file that is not empty.',
          { param: 'file' },
        );
      }
      if (upload.bytes.length > MAX_EVIDENCE_BYTES) {
        throw invalidRequest('The file is larger than 5 MB.', { param: 'file' });
      }
      const id = state.id('file');
      state.fileContents.set(id, upload.bytes);
      return state.files.add({
        id,
        object: 'file',
        created: state.now(),
        expires_at: null,
        filename: upload.filename,
        links: { object: 'list', data: [], has_more: false, url: `/v1/file_links?file=${id}` },
        purpose,
        size: upload.bytes.length,
        title: null,
        type,
        url: `${state.url()}/v1/files/${id}/contents`,
      });
    },
  ),
];
