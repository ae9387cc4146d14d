import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { Failure, usage } from './failure.ts'
import { type Keychain, openKeychain } from './keychain.ts'

/** The parties as which a profile can be logged in; one of each at a time. */
export const KINDS = ['agent', 'platform', 'owner'] as const
export type Kind = (typeof KINDS)[number]

export type SecretName = Kind | 'listen'

/** A secret is in the keychain, or in the file of its profile, which only its user may read. */
interface Kept {
  readonly keptIn: 'keychain' | 'file'
  readonly secret?: string
}

export interface Profile {
  readonly url: string
  readonly agent?: Kept & { readonly agent_id: string; readonly handle: string }
  readonly platform?: Kept & { readonly platform_id: string }
  readonly owner?: Kept & { readonly phone: string; readonly expires_at: string }
  /** Signs what `listen` forwards. */
  readonly listen?: Kept
  /** The code that was sent last, which a later command takes. */
  readonly code?: { readonly phone: string; readonly sent_at: string; readonly browser: string | null }
  /** The key document of the service, as it was at the last login. */
  readonly keys?: object
}

export interface Profiles {
  readonly folder: string
  readonly name: string
  read(): Promise<Profile | null>
  write(profile: Profile): Promise<void>
  /** How a secret is kept, for the profile; the keychain first. */
  keep(name: SecretName, secret: string): Promise<Kept>
  secret(name: SecretName, kept: Kept): Promise<string>
  remove(): Promise<void>
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** `$XDG_CONFIG_HOME/batua`; a relative path in that variable does not count (XDG Base Directory Specification). */
export function configFolder(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'] ?? ''
  return join(isAbsolute(base) ? base : join(env['HOME'] || homedir(), '.config'), 'batua')
}

export function openProfiles(
  name: string,
  env: NodeJS.ProcessEnv,
  keychain: Keychain | null = openKeychain(process.platform, env),
): Profiles {
  if (!NAME.test(name)) throw usage('The name of a profile has 1 to 64 letters, digits, - and _')
  const folder = configFolder(env)
  const path = join(folder, `${name}.json`)
  const account = (secret: SecretName) => `${name}/${secret}`
  return {
    folder,
    name,
    read: () => readProfile(path),
    async write(profile) {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
      await writePrivately(path, `${JSON.stringify(profile, null, 2)}\n`)
    },
    async keep(secretName, secret) {
      if (keychain !== null && (await keychain.set(account(secretName), secret)))
        return { keptIn: 'keychain' }
      return { keptIn: 'file', secret }
    },
    async secret(secretName, { keptIn, secret }) {
      const found = keptIn === 'file' ? secret : await keychain?.get(account(secretName))
      if (found) return found
      const message = `The keychain has no secret of profile ${name} for ${secretName}; log in again`
      throw new Failure({ exit: 6, code: 'authentication_error', message })
    },
    async remove() {
      for (const secretName of [...KINDS, 'listen'] as const) await keychain?.remove(account(secretName))
      await rm(path, { force: true })
    },
  }
}

async function readProfile(path: string): Promise<Profile | null> {
  try {
    const profile: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (typeof profile === 'object' && profile !== null && 'url' in profile) return profile as Profile
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Error(`${path} is not a profile; log in again after removing it`)
}

/** Renamed into place, so that another command finds the old file or the new one. */
async function writePrivately(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, text, { mode: FILE_MODE, flag: 'wx' })
    // The mode above is subject to the umask.
    await chmod(draft, FILE_MODE)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}
