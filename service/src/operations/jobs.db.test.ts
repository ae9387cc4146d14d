import { expect } from 'vitest'
import { DatabaseUnavailable } from '../db/errors.ts'
import { systemClock } from '../kernel/clock.ts'
import { createLogger, silentLogger } from '../kernel/logger.ts'
import { database, test } from '../testing/database-test.ts'
import { createJobs, type Job } from './jobs.ts'

const clock = systemClock()
const logger = silentLogger()

function counting(name: string, due: number[]): Job & { runs: number } {
  const job = {
    name,
    everyMs: 60_000,
    runs: 0,
    async run() {
      job.runs++
      return due.shift() ?? 0
    },
  }
  return job
}

test('runDue goes on until nothing is due, including work that other jobs made due', async () => {
  const refunds: number[] = []
  const expiry: Job = {
    name: 'expiry',
    everyMs: 60_000,
    run: async () => (refunds.length === 0 && !refunded ? (refunds.push(1), 1) : 0),
  }
  let refunded = false
  const refund: Job = {
    name: 'refund',
    everyMs: 60_000,
    async run() {
      const due = refunds.shift()
      refunded ||= due !== undefined
      return due ?? 0
    },
  }
  await createJobs({ clock, database, logger, jobs: [refund, expiry] }).runDue()
  expect(refunded).toBe(true)
})

test('runDue does what a run made due that had begun before, on the timer', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const made: number[] = []
  let events = 1
  const fanOut: Job = {
    name: 'fan-out',
    everyMs: 60_000,
    async run() {
      if (events === 0) return 0
      events = 0
      await released
      made.push(1)
      return 1
    },
  }
  const sender = counting('sender', made)
  const jobs = createJobs({ clock, database, logger, jobs: [fanOut, sender] })
  jobs.start()
  const done = jobs.runDue()
  // The sender's own run of this round ends first, with nothing due.
  await expect.poll(() => sender.runs).toBe(2)
  release()
  await done
  expect(made).toEqual([])
  await jobs.stop()
})

test('runDue returns only after every batch of a job was run', async () => {
  const job = counting('batches', [20, 20, 3])
  await createJobs({ clock, database, logger, jobs: [job] }).runDue()
  expect(job.runs).toBeGreaterThanOrEqual(4)
})

test('a job that throws stops neither other jobs nor its own next run', async () => {
  let throws = true
  const broken: Job = {
    name: 'broken',
    everyMs: 60_000,
    async run() {
      if (throws) throw new Error('broken')
      return 0
    },
  }
  const healthy = counting('healthy', [1])
  const jobs = createJobs({ clock, database, logger, jobs: [broken, healthy] })
  await jobs.runDue()
  throws = false
  await jobs.runDue()
  expect(healthy.runs).toBeGreaterThanOrEqual(3)
})

test('a job that cannot reach the database writes one log line for each attempt, without a stack', async () => {
  const lines: string[] = []
  const log = createLogger('info', { write: line => lines.push(line) })
  const job: Job = {
    name: 'checks',
    everyMs: 60_000,
    run: () => Promise.reject(new DatabaseUnavailable('The database is not available')),
  }
  await createJobs({ clock, database, logger: log, jobs: [job] }).runDue()
  expect(lines.map(line => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'warn', job: 'checks', reason: 'The database is not available' },
  ])
  expect(lines.join()).not.toContain('stack')
})

test('stop waits for the batch that is running and starts no other', async () => {
  let finish = (_count: number): void => {}
  let runs = 0
  const slow: Job = {
    name: 'slow',
    everyMs: 1,
    run() {
      runs++
      return new Promise(resolve => {
        finish = resolve
      })
    },
  }
  const jobs = createJobs({ clock, database, logger, jobs: [slow] })
  jobs.start()
  await Promise.resolve()
  let stopped = false
  const stopping = jobs.stop().then(() => {
    stopped = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(stopped).toBe(false)
  finish(20)
  await stopping
  expect(runs).toBe(1)
})

test('a job never runs twice at the same time in one process', async () => {
  let running = 0
  let most = 0
  const job: Job = {
    name: 'alone',
    everyMs: 1,
    async run() {
      most = Math.max(most, ++running)
      await new Promise(resolve => setImmediate(resolve))
      running--
      return 0
    },
  }
  const jobs = createJobs({ clock, database, logger, jobs: [job] })
  jobs.start()
  await Promise.all([jobs.runDue(), jobs.runDue(), jobs.runDue()])
  await jobs.stop()
  expect(most).toBe(1)
})

test('a job that says what is due runs at the start, and again once a row is due', async () => {
  await database.query('create table due_things (due_at timestamptz)')
  let runs = 0
  const job: Job = {
    name: 'things',
    everyMs: 60_000,
    due: 'exists (select from due_things where due_at <= $1)',
    async run(now) {
      runs++
      return (await database.query('delete from due_things where due_at <= $1 returning 1', [now])).length
    },
  }
  const jobs = createJobs({ clock, database, logger, jobs: [job, counting('another', [])] })
  jobs.start()
  await expect.poll(() => runs).toBe(1)
  await database.query('insert into due_things values ($1)', [clock.now()])
  await expect.poll(() => runs, { timeout: 10_000 }).toBe(3)
  expect(await database.query('select 1 from due_things')).toEqual([])
  await jobs.stop()
})

test('every job runs while the database does not respond to the query for due work', async () => {
  const lines: string[] = []
  const log = createLogger('info', { write: line => lines.push(line) })
  const unclear = { ...counting('unclear', []), everyMs: 1, due: 'there_is_no_such_column' }
  const jobs = createJobs({ clock, database, logger: log, jobs: [unclear] })
  jobs.start()
  await expect
    .poll(() => lines.join(), { timeout: 10_000 })
    .toContain('query for due jobs failed; all jobs run')
  const isRun = Promise.withResolvers<void>()
  unclear.run = async () => {
    isRun.resolve()
    return 0
  }
  await isRun.promise
  await jobs.stop()
})
