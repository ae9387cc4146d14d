import { parseId } from '../../../kernel/ids.ts'

// ASCII is required before lower-casing: lower-casing first would turn the Kelvin sign into a plain k and so accept a
// look-alike.
const WRITTEN_HANDLE = /^@?[A-Za-z][A-Za-z0-9_-]{2,31}$/

/** A handle in its stored form, from any case and with or without `@`; null if it is not valid. */
export function normaliseHandle(written: string): string | null {
  if (!WRITTEN_HANDLE.test(written)) return null
  const handle = (written.startsWith('@') ? written.slice(1) : written).toLowerCase()
  // Routes that accept a handle accept an id too, so a handle that reads as an id could be mistaken for another agent.
  return parseId('agt', handle) === null ? handle : null
}
