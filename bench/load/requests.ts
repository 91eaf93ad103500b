/** Serializes the requests of a job and checks their responses. */
import type {
  Job,
  LeadRequests,
  ListedRequests,
  PageRequests,
  Payers,
  PaymentRequests,
} from './job.ts';

export interface Request {
  readonly bytes: Buffer;
  /** Text that a correct response contains. */
  readonly markers: readonly string[];
}

/** Of those who pay repeatedly: orders from 0 to here make all of them known. */
export const KNOWN_CUSTOMERS = 1_000;

/** The request with a serial number, from 0. */
export function requestsOf(job: Job): (serial: number) => Request {
  const { requests } = job;
  switch (requests.kind) {
    case 'listed':
      return listed(job, requests);
    case 'pages':
      return pages(job, requests);
    case 'payments':
      return payments(job, requests);
    case 'leads':
      return leads(job, requests);
  }
}

function listed(job: Job, { bodies, markers }: ListedRequests): (serial: number) => Request {
  return inTurn(
    bodies.map((body) => bytesOf(job, body)),
    markers,
  );
}

function pages(job: Job, { paths, markers }: PageRequests): (serial: number) => Request {
  return inTurn(
    paths.map((path) => Buffer.from(`${headOf('GET', path, job)}\r\n`)),
    markers,
  );
}

function inTurn(bytes: readonly Buffer[], markers: readonly string[]): (serial: number) => Request {
  const made = bytes.map((each, index) => ({ bytes: each, markers: [markers[index] ?? ''] }));
  if (made.length === 0) throw new RangeError('a load needs requests');
  return (serial) => made[serial % made.length] as Request;
}

function payments(job: Job, { firstOrder, payers }: PaymentRequests): (serial: number) => Request {
  return (serial) => {
    const orderId = firstOrder + serial;
    const body = paymentBody(orderId, payers);
    return {
      bytes: bytesOf(job, body, `Idempotency-Key: order-${orderId}\r\n`),
      markers: ['"status":"Captured"', `"orderId":${orderId},`],
    };
  };
}

function leads(job: Job, { firstLead }: LeadRequests): (serial: number) => Request {
  return (serial) => {
    const number = firstLead + serial;
    return {
      bytes: bytesOf(job, leadBody(number)),
      markers: ['"status":"new"', `"session_id":"session-${number}"`],
    };
  };
}

export function leadBody(number: number): string {
  return JSON.stringify({
    email: `visitor-${number}@shop.example`,
    session_id: `session-${number}`,
    first_name: 'Ann',
    scans: [{ page: '/' }, { page: '/teapots' }],
  });
}

/** The payment of the README, with an order id and a company. */
export function paymentBody(orderId: number, payers: Payers = 'known'): string {
  const payer = payers === 'known' ? orderId % KNOWN_CUSTOMERS : `of-${orderId}`;
  return JSON.stringify({
    amount: 19.99,
    currency: 'GBP',
    email: `buyer-${payer}@shop.example`,
    orderId,
    companyId: 1,
    card: { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' },
  });
}

function headOf(method: string, path: string, { headers, port }: Job): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${lines.join('')}`;
}

function bytesOf(job: Job, body: string, more = ''): Buffer {
  return Buffer.from(
    `${headOf('POST', job.path, job)}${more}` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
