const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'
const SUFFIX_LENGTH = 26

/** A public id from a UUID of the tables: an implementation of TypeID that shares no code with the service. */
export function typeId(prefix: string, uuid: string): string {
  const digits = BigInt(`0x${uuid.replaceAll('-', '')}`)
    .toString(32)
    .padStart(SUFFIX_LENGTH, '0')
  const suffix = digits.replaceAll(/./g, digit => CROCKFORD.charAt(Number.parseInt(digit, 32)))
  return `${prefix}_${suffix}`
}
