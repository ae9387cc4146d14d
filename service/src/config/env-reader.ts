import type { ValueKind } from './env-values.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** All problems of the configuration, one line for each variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length} problem(s):\n${problems.map(line => `  ${line}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads variables and collects their problems, so that all are reported at once. A missing or wrong variable reads as its
 * fallback until `finish` throws. Values are never shown, since they may be secrets. An empty variable counts as absent.
 */
export interface EnvReader {
  read<T>(name: string, kind: ValueKind<T>, fallback: T): T
  /** As `read`, but its absence is a problem when `isRequired`. */
  need<T>(name: string, kind: ValueKind<T>, fallback: T, isRequired?: boolean): T
  problem(name: string, expected: string): void
  finish(): void
}

export function readEnv(env: Env): EnvReader {
  const problems: string[] = []
  const problem = (name: string, expected: string): void => {
    problems.push(`${name}: ${expected}`)
  }
  const need = <T>(name: string, kind: ValueKind<T>, fallback: T, isRequired = true): T => {
    const text = env[name]?.trim() ?? ''
    if (text === '') {
      if (isRequired) problem(name, `is missing; it must be ${kind.expected}`)
      return fallback
    }
    const value = kind.parse(text)
    if (value === undefined) problem(name, `must be ${kind.expected}`)
    return value ?? fallback
  }
  return {
    need,
    problem,
    read: (name, kind, fallback) => need(name, kind, fallback, false),
    finish: () => {
      if (problems.length > 0) throw new ConfigError(problems)
    },
  }
}
