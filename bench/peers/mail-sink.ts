/**
 * A mail server that takes everything and keeps nothing.
 *
 *     node mail-sink.ts
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';

const END = '\r\n.\r\n';
const ANSWERS: Readonly<Record<string, string>> = {
  DATA: '354 go on',
  QUIT: '221 bye',
};

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  let text = '';
  let isData = false;
  socket.on('data', (chunk) => {
    text += chunk;
    for (;;) {
      const end = isData ? END : '\r\n';
      const at = text.indexOf(end);
      if (at < 0) return;
      const line = text.slice(0, at);
      text = text.slice(at + end.length);
      const command = isData ? '' : line.slice(0, 4).toUpperCase();
      isData = command === 'DATA';
      answer(socket, ANSWERS[command] ?? '250 ok');
      if (command === 'QUIT') socket.end();
    }
  });
  socket.on('error', () => socket.destroy());
  answer(socket, '220 sink');
});

function answer(socket: Socket, line: string): void {
  socket.write(`${line}\r\n`);
}

server.listen(0, '127.0.0.1', () => {
  console.log(`listens on smtp://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit());
