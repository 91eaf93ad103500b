/** The script of the page that a mail leads to: once the customer is back from the bank, the form is sent. */
import { messageOf } from './messages.ts';

addEventListener('message', (event: MessageEvent<unknown>) => {
  const source = document.querySelector('iframe')?.contentWindow;
  if (messageOf(event, { source, origin: location.origin })?.type !== 'returned') return;
  document.querySelector('form')?.submit();
});
