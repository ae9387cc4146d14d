import { checkFile, isDoubt, readKeys, type VerificationResult } from '../index.ts'
import { IN_TIME } from './signed-samples.ts'

type Checkpoints = { readonly from: string; readonly to: string }

/** Checks files with a key document, in time unless the test says otherwise. */
export function checker(document: object) {
  const keys = readKeys(JSON.stringify(document))
  if (isDoubt(keys)) throw new Error(keys.because)
  return (
    text: string,
    at = IN_TIME,
    checkpoints: Checkpoints | null = null,
    proof: string | null = null,
  ): VerificationResult => checkFile(text, { keys, at, checkpoints, proof })
}

/** The text with each of its bytes changed in turn, where that is still UTF-8. */
export function* withEachByteFlipped(text: string): Generator<string> {
  const bytes = Buffer.from(text)
  for (let index = 0; index < bytes.length; index++) {
    const copy = Buffer.from(bytes)
    copy[index] = (copy[index] ?? 0) ^ 1
    yield copy.toString('utf8')
  }
}

/** A copy of a JSON value with each of its leaves changed in turn. */
export function* withEachLeafChanged(value: unknown): Generator {
  if (Array.isArray(value)) {
    yield [...value, 'one more']
    if (value.length > 0) yield value.slice(1)
    for (const [index, part] of value.entries()) {
      for (const changed of withEachLeafChanged(part)) yield value.with(index, changed)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      for (const changed of withEachLeafChanged(part)) yield { ...value, [name]: changed }
      const { [name]: _gone, ...rest } = value as Record<string, unknown>
      yield rest
    }
  } else if (typeof value === 'string') {
    yield `${value}x`
    yield value.slice(1)
    yield null
  } else if (typeof value === 'number') {
    yield value + 1
    yield String(value)
    yield value + 0.5
  } else {
    yield value === null ? 'something' : !value
  }
}
