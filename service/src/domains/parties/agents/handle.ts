import { parseId } from '../../../kernel/ids.ts'

// ASCII is asked for before anything is folded: lower-casing first would turn the Kelvin sign into a plain k and so
// let a look-alike in.
const WRITTEN_HANDLE = /^@?[A-Za-z][A-Za-z0-9_-]{2,31}$/

/** The one form of a handle, whatever case it was written in and with or without its `@`; null when it is none. */
export function normaliseHandle(written: string): string | null {
  if (!WRITTEN_HANDLE.test(written)) return null
  const handle = (written.startsWith('@') ? written.slice(1) : written).toLowerCase()
  // Wherever a handle is taken an id is taken too, so a name that reads as an id could pass for another agent.
  return parseId('agt', handle) === null ? handle : null
}
