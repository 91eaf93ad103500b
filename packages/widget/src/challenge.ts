/** The script of the page that 3-D Secure ends with, in the frame of the card form: the buyer is back. */
import { post } from './messages.ts';

if (parent !== window) post(parent, { type: 'returned' }, location.origin);
