import { AppError } from '../../../kernel/app-error.ts'
import { normalisePhone } from '../owners/normalise.ts'

/** The ten digits of a phone, however it was written. */
export function requirePhone(written: string): string {
  const phone = normalisePhone(written)
  if (phone !== null) return phone
  throw new AppError(
    'validation_error',
    'A phone is an Indian mobile number: 10 digits, the first from 6 to 9',
    {
      field: 'phone',
    },
  )
}
