import { spawn } from 'node:child_process'

/** A store of secrets of the operating system. */
export interface Keychain {
  get(account: string): Promise<string | null>
  /** False if it does not keep the secret: then it has to be kept elsewhere. */
  set(account: string, secret: string): Promise<boolean>
  remove(account: string): Promise<void>
}

const SERVICE = 'batua'
/** A person may have to unlock it first. */
const RESPONDS_WITHIN_MS = 60_000
/** What `security` reads between quotes without a meaning of its own. */
const PLAIN = /^[\w.:/+=@-]+$/

/** The keychain of this system: macOS's, or the Secret Service of a Linux desktop; null if there is none. */
export function openKeychain(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Keychain | null {
  if (platform === 'darwin') return verified(macKeychain(env))
  // Without a session bus there is no Secret Service, and secret-tool would try to start one.
  if (platform === 'linux' && env['DBUS_SESSION_BUS_ADDRESS']) return verified(secretService(env))
  return null
}

/** Secrets go to the tools on standard input: every process of the machine may read the arguments of another. */
function macKeychain(env: NodeJS.ProcessEnv): Keychain {
  const named = (account: string) => ['-s', SERVICE, '-a', account]
  return {
    get: account => output(env, 'security', ['find-generic-password', ...named(account), '-w']),
    async set(account, secret) {
      if (!PLAIN.test(secret) || !PLAIN.test(account)) return false
      const command = `add-generic-password -U -s ${SERVICE} -a "${account}" -w "${secret}"\n`
      return (await output(env, 'security', ['-i'], command)) !== null
    },
    async remove(account) {
      await output(env, 'security', ['delete-generic-password', ...named(account)])
    },
  }
}

function secretService(env: NodeJS.ProcessEnv): Keychain {
  const named = (account: string) => ['service', SERVICE, 'account', account]
  return {
    get: account => output(env, 'secret-tool', ['lookup', ...named(account)]),
    async set(account, secret) {
      const args = ['store', '--label', `Batua ${account}`, ...named(account)]
      return (await output(env, 'secret-tool', args, secret)) !== null
    },
    async remove(account) {
      await output(env, 'secret-tool', ['clear', ...named(account)])
    },
  }
}

/** A keychain counts only if it gives back what it was given. */
function verified(keychain: Keychain): Keychain {
  return {
    ...keychain,
    set: async (account, secret) =>
      (await keychain.set(account, secret)) && (await keychain.get(account)) === secret,
  }
}

/** What a tool printed; null if it is not installed, failed or took too long. */
function output(
  env: NodeJS.ProcessEnv,
  tool: string,
  args: readonly string[],
  input = '',
): Promise<string | null> {
  return new Promise(resolve => {
    const child = spawn(tool, [...args], {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: RESPONDS_WITHIN_MS,
    })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    child.stdin.on('error', () => undefined)
    child.once('error', () => resolve(null))
    child.once('close', code => resolve(code === 0 ? printed.replace(/\n$/, '') : null))
    child.stdin.end(input)
  })
}
