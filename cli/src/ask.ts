import { text } from 'node:stream/consumers'
import { usage } from './failure.ts'
import type { Input, Invocation, Terminal } from './main.ts'

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const BACKSPACES = new Set(['\b', '\u007f'])
const ENTER = new Set(['\r', '\n'])
const MAX_LENGTH = 1_000

/** A secret from standard input: piped, or typed on a terminal, where it is not shown. Never an argument. */
export async function readSecret({ stdin, stderr }: Invocation, what: string): Promise<string> {
  const typed = stdin.isTTY ? await typedSecret(`${what}: `, stdin, stderr) : await text(stdin)
  const secret = typed.trim()
  if (secret === '') throw usage(`Standard input has no ${what.toLowerCase()}`)
  if (secret.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(secret))
    throw usage(`Standard input has no ${what.toLowerCase()}, but something else`)
  return secret
}

/** Whether a person is there who can be asked. */
export function canAsk({ stdin, stderr }: Invocation): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

function typedSecret(question: string, stdin: Input, stderr: Terminal): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = (done: () => void) => {
      stdin.off('data', onData)
      stdin.setRawMode?.(false)
      stdin.pause()
      stderr.write('\n')
      done()
    }
    const onData = (chunk: string) => {
      for (const character of chunk) {
        if (character === CTRL_C) return end(() => reject(usage('Nothing was entered')))
        if (ENTER.has(character) || character === CTRL_D) return end(() => resolve(typed))
        typed = BACKSPACES.has(character) ? typed.slice(0, -1) : typed + character
      }
    }
    // Asked only once the terminal shows nothing of what is typed.
    stdin.setRawMode?.(true)
    stdin.setEncoding('utf8').on('data', onData).resume()
    stderr.write(question)
  })
}
