import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { link, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileJournal } from './file-journal.ts'
import type { BudgetLimit, Purchase } from './journal.ts'
import { lineOfPurchase } from './purchase-line.ts'
import type { StoredJournal } from './stored-journal.ts'
import { newPurchase } from './testing/purchases.ts'

const DAY_MS = 86_400_000
const NOW = 1_800_000_000_000

let folder: string
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-journal-'))
})
afterAll(() => rm(folder, { recursive: true }))

function newPath(): string {
  files += 1
  return join(folder, `${files}.jsonl`)
}

async function written(...purchases: Purchase[]): Promise<string> {
  const path = newPath()
  await writeFile(path, purchases.map(lineOfPurchase).join(''))
  return path
}

/** Ends purchases in progress, for which a journal waits. */
async function closeAfter(journal: StoredJournal, ...ids: string[]): Promise<void> {
  await Promise.all(ids.map(journal.release))
  await journal.close()
}

async function idsIn(path: string): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
  return lines.map(line => (JSON.parse(line) as Purchase).id)
}

async function numberOfLocks(path: string): Promise<number> {
  const names = await readdir(folder)
  return names.filter(name => join(folder, name).startsWith(`${path}.lock.`)).length
}

test('every step is in the journal after a restart', async () => {
  const path = newPath()
  const before = await fileJournal(path)
  await before.begin(newPurchase('a', { payTo: '@अनुवाद\n' }), [])
  await before.update('a', { state: 'paying', triedAt: NOW + 1, approvalId: 'apr_1' })
  await before.update('a', { state: 'paid', paymentId: 'pay_1' })
  await before.begin(newPurchase('b'), [])
  await before.update('b', { state: 'served', paymentId: 'pay_2' })
  await closeAfter(before, 'a', 'b')
  const after = await fileJournal(path)
  const ids = { paymentId: 'pay_1', approvalId: 'apr_1' }
  const paid = { payTo: '@अनुवाद\n', state: 'paid', triedAt: NOW + 1, ...ids } as const
  expect(await after.resume('key of a')).toEqual(newPurchase('a', paid))
  expect(await after.resume('key of b')).toBeNull()
  const budget: BudgetLimit = { limitPaise: 299n, windowMs: DAY_MS, host: null }
  expect(await after.begin(newPurchase('c'), [budget])).toBe(budget)
  await closeAfter(after, 'a')
})

test('pins are in the journal after a restart, and stay when old purchases are removed', async () => {
  const path = newPath()
  const before = await fileJournal(path)
  await before.pin('shop.example', 'agt_1')
  await before.pin('shop.example', 'agt_1')
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(2)
  await before.begin(newPurchase('old', { state: 'served' }), [])
  for (let step = 0; step < 1_000; step++) await before.update('old', { state: 'served' })
  await before.begin(newPurchase('new', { startedAt: NOW + 8 * DAY_MS }), [])
  await closeAfter(before, 'old', 'new')
  const after = await fileJournal(path)
  expect(await after.payeeOf('shop.example')).toBe('agt_1')
  await after.close()
})

test('a pin torn by a crash is ignored, and later lines are complete', async () => {
  const path = newPath()
  const before = await fileJournal(path)
  await before.pin('shop.example', 'agt_1')
  await before.pin('other.example', 'agt_2')
  await before.close()
  await truncate(path, (await stat(path)).size - 5)
  const torn = await fileJournal(path)
  expect(await torn.payeeOf('shop.example')).toBe('agt_1')
  expect(await torn.payeeOf('other.example')).toBeNull()
  await torn.pin('other.example', 'agt_3')
  await torn.close()
  const after = await fileJournal(path)
  expect(await after.payeeOf('other.example')).toBe('agt_3')
  await after.close()
})

test('a step is in the file when its call returns', async () => {
  const path = newPath()
  const journal = await fileJournal(path)
  await journal.begin(newPurchase('a'), [])
  expect(await readFile(path, 'utf8')).toBe(lineOfPurchase(newPurchase('a')))
  await journal.update('a', { state: 'paid', paymentId: 'pay_1' })
  expect(await readFile(path, 'utf8')).toMatch(/\n.*"state":"paid","paymentId":"pay_1".*\n$/)
  await closeAfter(journal, 'a')
})

test('if a write is torn anywhere, all earlier lines stay and later ones are complete', async () => {
  const steps = [newPurchase('a'), newPurchase('a', { state: 'paid', paymentId: 'pay_1' })]
  const [first = '', second = ''] = steps.map(lineOfPurchase)
  for (let end = 0; end <= first.length + second.length; end += 7) {
    const path = await written(...steps)
    await truncate(path, end)
    const journal = await fileJournal(path)
    const expected = end < first.length ? null : steps[end < first.length + second.length ? 0 : 1]
    expect(await journal.resume('key of a')).toEqual(expected)
    await journal.begin(newPurchase('b'), [])
    await closeAfter(journal, 'a', 'b')
    const kept = expected === null ? [] : ['a']
    expect([...new Set(await idsIn(path))]).toEqual([...kept, 'b'])
  }
})

test('a file with other content is refused and left unchanged', async () => {
  const stolen = lineOfPurchase(newPurchase('a')).replace('"paying"', '"stolen"')
  for (const content of [
    'a letter\n',
    '{"id":"a"}\n',
    stolen,
    `${lineOfPurchase(newPurchase('a'))}[]\nmore`,
  ]) {
    const path = newPath()
    await writeFile(path, content)
    await expect(fileJournal(path)).rejects.toThrow(/is not a journal of purchases: line [12]$/)
    expect(await readFile(path, 'utf8')).toBe(content)
  }
})

test('a compacted file keeps only purchases that may still count', async () => {
  const ended = (id: string, age: number): Purchase =>
    newPurchase(id, { state: 'served', startedAt: NOW - age })
  const history = Array.from({ length: 2_000 }, (_, index) => ended(`old ${index % 500}`, 2 * DAY_MS))
  const path = await written(
    newPurchase('paid and never seen', { state: 'paid', startedAt: NOW - 6 * DAY_MS }),
    newPurchase('given up', { state: 'paying', startedAt: NOW - 7 * DAY_MS }),
    newPurchase('held', { state: 'paying', startedAt: NOW - 8 * DAY_MS }),
    ended('a day old', DAY_MS),
    ended('nearly a day old', DAY_MS - 1),
    ...history,
  )
  await writeFile(`${path}.next`, 'what a killed process left')
  const journal = await fileJournal(path)
  await journal.resume('key of held')
  await journal.begin(newPurchase('new', { startedAt: NOW }), [])
  expect(await idsIn(path)).toEqual(['paid and never seen', 'held', 'nearly a day old', 'new'])
  await journal.update('new', { state: 'served' })
  await closeAfter(journal, 'held', 'new')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const after = await fileJournal(path)
  expect(await after.resume('key of new')).toBeNull()
  expect((await after.resume('key of paid and never seen'))?.state).toBe('paid')
  await closeAfter(after, 'paid and never seen')
})

test('only its owner can read the file, even if others could before', async () => {
  const path = newPath()
  await writeFile(path, '', { mode: 0o644 })
  await (await fileJournal(path)).close()
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('a file that is deleted or written by another ends the journal with an error', async () => {
  const removed = newPath()
  const first = await fileJournal(removed)
  await rm(removed)
  await expect(first.begin(newPurchase('a'), [])).rejects.toThrow('ENOENT')
  const changed = newPath()
  const second = await fileJournal(changed)
  await writeFile(changed, lineOfPurchase(newPurchase('of another')))
  await expect(second.begin(newPurchase('a'), [])).rejects.toThrow()
})

test('one of 16 that open a file at once gets it, under any of its names', async () => {
  const path = await written()
  const alias = newPath()
  await symlink(path, alias)
  const opened = await Promise.allSettled(
    Array.from({ length: 16 }, (_, index) => fileJournal(index % 2 === 0 ? path : alias)),
  )
  const got = opened.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  expect(got).toHaveLength(1)
  for (const result of opened)
    if (result.status === 'rejected') expect(String(result.reason)).toContain('in use')
  await got[0]?.close()
  await (await fileJournal(alias)).close()
  expect(await numberOfLocks(path)).toBe(1)
})

test('a file of two names is refused under both, since each would have a lock of its own', async () => {
  const path = await written(newPurchase('a'))
  const twin = newPath()
  await link(path, twin)
  for (const name of [path, twin])
    await expect(fileJournal(name)).rejects.toThrow(`${name} has 2 names (hard links)`)
  await rm(twin)
  await (await fileJournal(path)).close()
})

test('a live process keeps its file, and a killed one’s goes to exactly one other', async () => {
  const path = newPath()
  const child = await openElsewhere(path)
  await expect(fileJournal(path)).rejects.toThrow(`${path} is in use by process ${child.pid}`)
  child.kill('SIGKILL')
  await once(child, 'close')
  const opened = await Promise.allSettled(Array.from({ length: 16 }, () => fileJournal(path)))
  expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await numberOfLocks(path)).toBe(1)
})

test.each([
  ['an earlier process of the same number', { pid: process.pid, host: hostname(), start: '1' }, null],
  ['nobody that can be made out', '\0\0\0', null],
  [
    'a process of another machine',
    { pid: 1, host: 'elsewhere', start: null },
    'in use by process 1 on elsewhere',
  ],
])('a lock of %s is recognised', async (_, holder, refusal) => {
  const path = newPath()
  await writeFile(`${path}.lock.41`, typeof holder === 'string' ? holder : JSON.stringify(holder))
  if (refusal !== null) return expect(fileJournal(path)).rejects.toThrow(refusal)
  await (await fileJournal(path)).close()
  await (await fileJournal(path)).close()
  expect(await numberOfLocks(path)).toBe(1)
})

test('a closed journal takes no more steps', async () => {
  const journal = await fileJournal(newPath())
  const last = journal.begin(newPurchase('a'), [])
  await closeAfter(journal, 'a')
  expect(await last).toBeNull()
  await expect(journal.update('a', { state: 'paid' })).rejects.toThrow('closed')
})

/** A process that has the file open until it is killed. */
async function openElsewhere(path: string): Promise<ChildProcess> {
  const program = `
    import { fileJournal } from ${JSON.stringify(new URL('./file-journal.ts', import.meta.url).href)}
    await fileJournal(${JSON.stringify(path)})
    process.stdout.write('open')
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}
