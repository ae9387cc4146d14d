import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayFromText } from './business-days.ts'
import { DEFAULT_HOLIDAYS_FILE, holidaysIn, openHolidays } from './holiday-file.ts'
import { silentLogger } from './logger.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holidays-'))
})
afterAll(() => rm(folder, { recursive: true }))

const day = (text: string) => dayFromText(text) ?? Number.NaN
const fileOf = (...dates: string[]) =>
  JSON.stringify({ holidays: dates.map(date => ({ date, name: 'A day' })) })

test('the list that is shipped can be read and knows the national holidays of both years', async () => {
  const days = holidaysIn(await readFile(DEFAULT_HOLIDAYS_FILE, 'utf8'))
  expect(new Set(days).size).toBe(days.length)
  for (const year of [2026, 2027]) {
    for (const date of ['01-26', '08-15', '10-02', '12-25']) expect(days).toContain(day(`${year}-${date}`))
  }
  const calendar = await (await openHolidays(null, silentLogger())).read()
  expect(calendar.isBusinessDay(day('2026-01-26'))).toBe(false)
})

test('the file is read again when it changes, and a broken one leaves the list before', async () => {
  const file = join(folder, 'followed.json')
  const errors: unknown[] = []
  const logger = { ...silentLogger(), error: (facts: unknown) => errors.push(facts) } as never
  await writeFile(file, fileOf('2026-11-20'))
  const holidays = await openHolidays(file, logger)
  const isOpen = async (text: string) => (await holidays.read()).isBusinessDay(day(text))
  expect(await isOpen('2026-11-20')).toBe(false)

  await writeFile(file, fileOf('2026-11-20', '2026-11-23'))
  expect(await isOpen('2026-11-23')).toBe(false)

  await writeFile(file, '{"holidays": [{"date": "2026-02-30"}]}')
  expect(await isOpen('2026-11-23')).toBe(false)
  expect(await isOpen('2026-11-20')).toBe(false)
  await rm(file)
  expect(await isOpen('2026-11-20')).toBe(false)
  expect(errors).toHaveLength(2)

  await writeFile(file, fileOf())
  expect(await isOpen('2026-11-20')).toBe(true)
})

test.each([
  '',
  '[]',
  '{}',
  '{"holidays": {}}',
  '{"holidays": ["2026-01-26"]}',
  '{"holidays": [{"date": "26.1."}]}',
])('%s stops the start', async text => {
  const file = join(folder, 'broken.json')
  await writeFile(file, text)
  await expect(openHolidays(file, silentLogger())).rejects.toThrow(`BANK_HOLIDAYS: ${file} cannot be read: `)
})

test('a list that is not there stops the start, and the message names it', async () => {
  const file = join(folder, 'nowhere.json')
  await expect(openHolidays(file, silentLogger())).rejects.toThrow(`BANK_HOLIDAYS: ${file} cannot be read: `)
})
