/** The body of a page's form that holds nothing, as browsers and mail programs send it. */
import { z } from 'zod';

const read = () => ({});

export const EMPTY_FORM = {
  body: z
    .object({})
    .meta({ id: 'EmptyForm', description: 'Whatever the form holds is ignored' })
    .optional(),
  unknownMembers: 'ignored',
  bodyTypes: [
    {
      mediaType: 'application/x-www-form-urlencoded',
      anyParameters: true,
      read,
      example: 'List-Unsubscribe=One-Click',
    },
    { mediaType: 'multipart/form-data', anyParameters: true, read, example: '' },
  ],
} as const;
