import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { codeOf } from '../kernel/system-errors.ts'
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
 *
 * A variable that the environment does not have is read from the file that `<its name>_FILE` names, or else from the lines
 * of the file that `CONFIG_FILE` names.
 */
export interface EnvReader {
  read<T>(name: string, kind: ValueKind<T>, fallback: T): T
  /** As `read`, but its absence is a problem when `isRequired`. */
  need<T>(name: string, kind: ValueKind<T>, fallback: T, isRequired?: boolean): T
  problem(name: string, expected: string): void
  /** Throws one `ConfigError` if there are problems. `known`: the names that a configuration file may have. */
  finish(known: () => ReadonlySet<string>): void
}

const CONFIG_FILE = 'CONFIG_FILE'

export function readEnv(env: Env): EnvReader {
  const problems: string[] = []
  const problem = (name: string, expected: string): void => {
    problems.push(`${name}: ${expected}`)
  }
  /** The text of a file that a variable names; null if it names none, or it cannot be read, which is a problem then. */
  const contentOf = (variable: string, file: string): string | null => {
    if (file === '') return null
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      problem(variable, `names a file that cannot be read (${codeOf(error)})`)
      return null
    }
  }
  const lines: Env = parseEnv(contentOf(CONFIG_FILE, textOf(env, CONFIG_FILE)) ?? '')
  const textFrom = (name: string): string => {
    for (const source of [env, lines]) {
      const text = textOf(source, name)
      const file = textOf(source, `${name}_FILE`)
      if (text !== '' && file !== '') problem(name, `is given, and so is ${name}_FILE; one of them is enough`)
      if (text !== '' || file !== '') return text || (contentOf(`${name}_FILE`, file)?.trim() ?? '')
    }
    return ''
  }
  const need = <T>(name: string, kind: ValueKind<T>, fallback: T, isRequired = true): T => {
    const text = textFrom(name)
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
    finish: known => {
      const given = Object.keys(lines)
      const names = given.length === 0 ? new Set<string>() : known()
      for (const name of given)
        if (!names.has(name.replace(/_FILE$/, '')) && !names.has(name))
          problem(CONFIG_FILE, `has ${name}, which is no variable of the service`)
      if (problems.length > 0) throw new ConfigError(problems)
    },
  }
}

function textOf(env: Env, name: string): string {
  return env[name]?.trim() ?? ''
}
