/** A genuine thing: what it is in words, what was checked, and what nobody can know without asking the service. */
export interface Genuine {
  readonly kind: 'genuine'
  readonly says: string
  readonly checked: readonly string[]
  readonly unknowable: readonly string[]
}

/** The mark of a doubt, which no JSON can hold: a file cannot bring a verdict of its own. */
const DOUBT: unique symbol = Symbol('doubt')

/** Why a thing is not accepted: it was changed, its time is over, or there is not enough to tell. */
export interface Doubt {
  readonly [DOUBT]: true
  readonly kind: 'doubt'
  readonly verdict: 'not genuine' | 'not valid' | 'cannot tell'
  readonly because: string
  /** What could be seen all the same. */
  readonly checked: readonly string[]
}

export type VerificationResult = Genuine | Doubt

export function forged(because: string): Doubt {
  return doubt('not genuine', because)
}

/** For what the service made, but is not good at this time. */
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

/** The verdict as it is printed: one plain line, then what was checked and what was not. */
export function resultText(verdict: VerificationResult): string {
  const lines =
    verdict.kind === 'genuine' ? [`genuine: ${verdict.says}`] : [`${verdict.verdict}: ${verdict.because}`]
  const unknowable = verdict.kind === 'genuine' ? verdict.unknowable : []
  lines.push(...verdict.checked.map(line => `  checked: ${line}`))
  lines.push(...unknowable.map(line => `  cannot be verified offline: ${line}`))
  return `${lines.join('\n')}\n`
}

const LONGEST_SHOWN = 120

/** Text of a file as it may stand on a terminal: no control or invisible characters, and not without end. */
export function shown(text: string): string {
  const plain = text.replaceAll(/\p{C}/gu, character => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return plain.length <= LONGEST_SHOWN ? plain : `${plain.slice(0, LONGEST_SHOWN)}…`
}
