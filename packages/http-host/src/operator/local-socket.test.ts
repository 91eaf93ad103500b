/** The operator's socket: its mode from the beginning, and what stands in its place. */
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { placeSocket, removeSocket, socketFault, socketPathOf } from './local-socket.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-socket-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function listening(server: Server): (path: string) => Promise<void> {
  onTestFinished(() => void server.close());
  return (path) => new Promise((resolve) => void server.listen(path, () => resolve()));
}

it('is for its owner alone, and nobody else could reach it before', async () => {
  const folder = newFolder();
  const path = join(folder, 'events.db.sock');
  const modes: number[] = [];
  const listen = listening(createServer());
  await placeSocket(path, async (made) => {
    modes.push(statSync(join(made, '..')).mode & 0o777);
    await listen(made);
  });
  expect(modes).toEqual([0o700]);
  expect(statSync(path).isSocket()).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['events.db.sock']);
  removeSocket(path);
  expect(readdirSync(folder)).toEqual([]);
});

it('takes the place of one that a killed host left', async () => {
  const folder = newFolder();
  const path = join(folder, 'events.db.sock');
  const dead = createServer();
  await listening(dead)(join(folder, 'x'));
  renameSync(join(folder, 'x'), path);
  await new Promise((resolve) => void dead.close(resolve));
  const before = statSync(path).ino;
  await placeSocket(path, listening(createServer()));
  expect(statSync(path).ino).not.toBe(before);
});

it('leaves what is no socket, and the folder, as they are', async () => {
  const folder = newFolder();
  const path = join(folder, 'events.db.sock');
  writeFileSync(path, 'mine');
  await expect(placeSocket(path, listening(createServer()))).rejects.toThrow(/remove it/);
  const fails = () => Promise.reject(new Error('no room'));
  await expect(placeSocket(join(folder, 'other.sock'), fails)).rejects.toThrow('no room');
  expect(readdirSync(folder)).toEqual(['events.db.sock']);
  expect(statSync(path).size).toBe(4);
});

it('has a path that the system takes, or a reason why not', () => {
  const longest = platform() === 'linux' ? 107 : 103;
  expect(socketFault(`/${'x'.repeat(longest - 1)}`)).toBeUndefined();
  expect(socketFault(`/${'x'.repeat(longest)}`)).toMatch(/at most/);
  // Bytes, not characters.
  expect(socketFault(`/${'ü'.repeat(longest / 2 + 1)}`)).toMatch(/at most/);
  expect(socketPathOf({ eventStoreUrl: 'sqlite:/data/events.db' })).toBe('/data/events.db.sock');
  expect(socketPathOf({ eventStoreUrl: 'memory:' })).toBeUndefined();
  expect(socketPathOf({ eventStoreUrl: 'postgres://host/name' })).toBeUndefined();
});
