/** A genuine object: its description, what was checked, and what can be checked only at the service. */
export interface Genuine {
  readonly kind: 'genuine'
  readonly says: string
  readonly checked: readonly string[]
  readonly unknowable: readonly string[]
}

/** A symbol marks a doubt. JSON cannot contain one, so a file cannot supply its own result. */
const DOUBT: unique symbol = Symbol('doubt')

/** Why an object is not accepted: it was changed, it has expired, or the file is not sufficient to decide. */
export interface Doubt {
  readonly [DOUBT]: true
  readonly kind: 'doubt'
  readonly verdict: 'not genuine' | 'not valid' | 'cannot tell'
  readonly because: string
  /** What was checked nevertheless. */
  readonly checked: readonly string[]
}

export type VerificationResult = Genuine | Doubt

export function forged(because: string): Doubt {
  return doubt('not genuine', because)
}

/** For an object that the service signed but that is not valid at this time. */
export function outdated(because: string): Doubt {
  return doubt('not valid', because)
}

export function unclear(because: string, checked: readonly string[] = []): Doubt {
  return doubt('cannot tell', because, checked)
}

function doubt(verdict: Doubt['verdict'], because: string, checked: readonly string[] = []): Doubt {
  return { [DOUBT]: true, kind: 'doubt', verdict, because, checked }
}

export function isDoubt(value: unknown): value is Doubt {
  return typeof value === 'object' && value !== null && DOUBT in value
}

/** The result as printed text: one line, then what was checked and what was not. */
export function resultText(verdict: VerificationResult): string {
  const lines =
    verdict.kind === 'genuine' ? [`genuine: ${verdict.says}`] : [`${verdict.verdict}: ${verdict.because}`]
  const unknowable = verdict.kind === 'genuine' ? verdict.unknowable : []
  lines.push(...verdict.checked.map(line => `  checked: ${line}`))
  lines.push(...unknowable.map(line => `  cannot be verified offline: ${line}`))
  return `${lines.join('\n')}\n`
}

const LONGEST_SHOWN = 120

/** A text of a file, safe for a terminal: without control or invisible characters, and cut to a maximum length. */
export function shown(text: string): string {
  const plain = text.replaceAll(/\p{C}/gu, character => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return plain.length <= LONGEST_SHOWN ? plain : `${plain.slice(0, LONGEST_SHOWN)}…`
}
