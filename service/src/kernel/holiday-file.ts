import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type BusinessCalendar, calendarOf, dayFromText } from './business-days.ts'
import type { Logger } from './logger.ts'

/** Returns the calendar of the operator's file in its present version. */
export interface CalendarReader {
  read(): Promise<BusinessCalendar>
}

/** India's bank holidays, shipped with the service. */
export const DEFAULT_HOLIDAYS_FILE = fileURLToPath(new URL('../../holidays.json', import.meta.url))

/**
 * Reads a file of bank holidays, `{"holidays": [{"date": "2026-01-26", "name": "Republic Day"}]}`, and reads it again
 * when it has changed. If a changed file cannot be read, the error is logged and the previous list stays in force. At the
 * start there is no previous list, so this rejects.
 */
export async function openHolidays(file: string | null, logger: Logger): Promise<CalendarReader> {
  const path = file ?? DEFAULT_HOLIDAYS_FILE
  let seen = await versionOf(path)
  let calendar = await readCalendar(path).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`BANK_HOLIDAYS: ${path} cannot be read: ${reason}`, { cause: error })
  })

  async function refresh(): Promise<void> {
    const version = await versionOf(path)
    if (version === seen) return
    // Set before the read, so that a broken file is logged once and not at every check.
    seen = version
    try {
      calendar = await readCalendar(path)
      logger.info({ file: path }, 'bank holidays file reloaded')
    } catch (error) {
      logger.error(
        { file: path, err: error },
        'bank holidays file cannot be read; the previous list stays in force',
      )
    }
  }

  return {
    async read() {
      await refresh()
      return calendar
    },
  }
}

/** A calendar without a file. */
export function fixedCalendar(...holidays: readonly string[]): CalendarReader {
  const calendar = calendarOf(holidays.map(requireDay))
  return { read: async () => calendar }
}

/** A text that changes whenever the file changes, appears or disappears. */
async function versionOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path)
    return `${mtimeMs} ${size} ${ino}`
  } catch {
    return 'gone'
  }
}

async function readCalendar(path: string): Promise<BusinessCalendar> {
  return calendarOf(holidaysIn(await readFile(path, 'utf8')))
}

/** Why a file cannot be used as the list of bank holidays; null: it can. */
export function holidayFileProblem(path: string): string | null {
  try {
    holidaysIn(readFileSync(path, 'utf8'))
    return null
  } catch (error) {
    return `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The days of a file's text; throws on anything that is not a list of holidays. */
export function holidaysIn(text: string): number[] {
  const parsed: unknown = JSON.parse(text)
  const listed: unknown = isRecord(parsed) ? parsed['holidays'] : undefined
  if (!Array.isArray(listed)) throw new Error('There must be a list named "holidays"')
  return listed.map((holiday: unknown) => {
    const date = isRecord(holiday) ? holiday['date'] : undefined
    if (typeof date !== 'string') throw new Error('Every holiday has a "date" such as "2026-01-26"')
    return requireDay(date)
  })
}

function requireDay(text: string): number {
  const day = dayFromText(text)
  if (day === null) throw new Error(`"${text}" is no date; write it as "2026-01-26"`)
  return day
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
