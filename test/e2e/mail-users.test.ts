/** Mails to the users of a tenant: invitations and new passwords, with codes that are kept nowhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { DAY_MS, Post } from './mailing-host.ts';

// The host looks for what is due once a second.
vi.setConfig({ testTimeout: 60_000 });

const ADA = { email: 'ada@example.com', name: 'Ada', roleIds: ['owner'] };
const PASSWORD = 'correct horse battery';

function codeIn(text: string | undefined): string {
  return /^Code: (\S{20,})$/m.exec(text?.replaceAll('\r', '') ?? '')?.[1] ?? '';
}

async function codeOf(asked: Promise<unknown>): Promise<string> {
  return asked.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );
}

it('brings the code of an invitation to the user alone, good once', async () => {
  const post = await Post.open({ env: { PUBLIC_URL: 'https://pay.example' } });
  const { status, body, text } = await post.caller.post('/api/admin/users', { body: ADA });
  expect([status, body.item.token]).toEqual([201, null]);
  const [mail] = await post.mails(1);
  expect(mail).toMatchObject({ to: ['ada@example.com'] });
  expect(mail?.parsed.subject).toMatch(/^Your invitation to Group /);
  const code = codeIn(mail?.parsed.text);
  expect(text).not.toContain(code);
  expect(mail?.parsed.html).toContain(`https://pay.example/console/welcome?token=${code}"`);
  const { events, engine } = post.running.host;
  for await (const batch of events.subscribe({ untilHead: true })) {
    for (const event of batch) expect(event.data + event.metadata).not.toContain(code);
  }
  for (const name of readdirSync(post.folder).filter((each) => !each.endsWith('.sock'))) {
    expect(readFileSync(join(post.folder, name), 'latin1').includes(code), name).toBe(false);
  }
  await engine.signIns.setPassword(code, PASSWORD);
  expect(await codeOf(engine.signIns.setPassword(code, PASSWORD))).toBe('LinkUnknown');
  const user = await post.caller.get('/api/admin/users/{id}', { path: { id: body.item.id } });
  expect(user.body.item.status).toBe('active');
});

it('is sent again to a user who was disabled before accepting, and is invited again', async () => {
  const post = await Post.open();
  const { id } = (await post.caller.post('/api/admin/users', { body: ADA })).body.item;
  await post.caller.post('/api/admin/users', { body: { ...ADA, email: 'bea@example.com' } });
  await post.mails(2);
  const change = (status: 'active' | 'disabled') =>
    post.caller.patch('/api/admin/users/{id}', { path: { id }, body: { status } });
  expect((await change('disabled')).body.item.status).toBe('disabled');
  expect((await change('active')).body.item.status).toBe('invited');
  const mails = (await post.mails(3)).filter(({ to }) => to.includes('ada@example.com'));
  expect(mails).toHaveLength(2);
  const [first, second] = mails.map(({ parsed }) => codeIn(parsed.text));
  const { signIns } = post.running.host.engine;
  expect(await codeOf(signIns.setPassword(first ?? '', PASSWORD))).toBe('LinkUnknown');
  expect(await codeOf(signIns.setPassword(second ?? '', PASSWORD))).toBe('done');
});

it('brings the code of a new password, which ends after a day and voids the one before', async () => {
  const post = await Post.open();
  const { id } = (await post.caller.post('/api/admin/users', { body: ADA })).body.item;
  await post.mails(1);
  const reset = () => post.caller.post('/api/admin/users/{id}/reset', { path: { id }, body: {} });
  expect((await reset()).body.item.token).toBeNull();
  await post.mails(2);
  await reset();
  const [first, second, third] = (await post.mails(3)).map(({ parsed }) => codeIn(parsed.text));
  const { signIns } = post.running.host.engine;
  for (const earlier of [first, second]) {
    expect(await codeOf(signIns.setPassword(earlier ?? '', PASSWORD))).toBe('LinkUnknown');
  }
  post.nowMs += DAY_MS;
  expect(await codeOf(signIns.setPassword(third ?? '', PASSWORD))).toBe('LinkUnknown');
  await reset();
  const [, , , fourth] = await post.mails(4);
  expect(fourth?.parsed.subject).toMatch(/^A new password for Group /);
  expect(await codeOf(signIns.setPassword(codeIn(fourth?.parsed.text), PASSWORD))).toBe('done');
});
