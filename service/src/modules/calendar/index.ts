/** Days on which Indian banks work, by a file that the operator edits. */
export {
  addBusinessDays,
  type BusinessCalendar,
  calendarOf,
  dayFromText,
  dayText,
  estimatedArrival,
  firstYoungDay,
  istTime,
  latestRunDay,
} from './business-days.ts'
export { type CalendarReader, DEFAULT_HOLIDAYS_FILE, fixedCalendar, openHolidays } from './holiday-file.ts'
