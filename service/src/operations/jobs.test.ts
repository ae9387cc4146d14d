import { expect, test } from 'vitest'
import { DatabaseUnavailable } from '../db/errors.ts'
import { systemClock } from '../kernel/clock.ts'
import { createLogger, silentLogger } from '../kernel/logger.ts'
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
  await createJobs({ clock, logger, jobs: [refund, expiry] }).runDue()
  expect(refunded).toBe(true)
})

test('runDue returns only after every batch of a job was run', async () => {
  const job = counting('batches', [20, 20, 3])
  await createJobs({ clock, logger, jobs: [job] }).runDue()
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
  const jobs = createJobs({ clock, logger, jobs: [broken, healthy] })
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
  await createJobs({ clock, logger: log, jobs: [job] }).runDue()
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
  const jobs = createJobs({ clock, logger, jobs: [slow] })
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
  const jobs = createJobs({ clock, logger, jobs: [job] })
  jobs.start()
  await Promise.all([jobs.runDue(), jobs.runDue(), jobs.runDue()])
  await jobs.stop()
  expect(most).toBe(1)
})
