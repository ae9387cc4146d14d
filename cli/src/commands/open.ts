import { spawn } from 'node:child_process'
import { kindsOf, type Session, serviceUrl } from '../session.ts'
import { describe, type Run } from './command.ts'

export function openCommand(run: Run) {
  return describe({
    name: 'open',
    summary: 'Open the console in the browser',
    examples: ['batua open', 'batua open --print'],
  })
    .option('--print', 'print its address instead')
    .action(run(openConsole))
}

async function openConsole(session: Session, { print }: { readonly print?: boolean }): Promise<void> {
  const { out, profiles } = session
  const url = await serviceUrl(session)
  const kinds = kindsOf(await profiles.read())
  // An owner's is the console; a platform's developers have their own.
  const page = kinds.includes('platform') && !kinds.includes('owner') ? '/console/platform' : '/console'
  const address = url.replace(/\/+$/, '') + page
  out.body({ url: address })
  if (print || !(await isOpened(address))) out.lines(address)
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

function isOpened(address: string): Promise<boolean> {
  const [opener, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  return new Promise(resolve => {
    const child = spawn(opener, [...args, address], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
