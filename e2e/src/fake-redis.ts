import { type AddressInfo, createServer, type Socket } from 'node:net'

/**
 * The part of Redis's protocol that the stores use: SET with NX, GET, DEL, SMEMBERS, and EVAL of the script that replaces a
 * value whose first line is the expected one. Nothing expires.
 */
export interface FakeRedis {
  readonly port: number
  close(): void
}

export async function startFakeRedis(): Promise<FakeRedis> {
  const values = new Map<string, string>()
  const sets = new Map<string, Set<string>>()
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    let unread = ''
    socket.on('data', data => {
      const { commands, rest } = commandsIn(unread + data.toString())
      unread = rest
      for (const command of commands) socket.write(responseTo(command, values, sets))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const COMMAND = /\*(\d+)\r\n((?:\$\d+\r\n[^\r]*\r\n)*)/y

/** The complete commands at the start of the received bytes, and the rest: the start of an incomplete command. */
function commandsIn(text: string): { readonly commands: string[][]; readonly rest: string } {
  const commands: string[][] = []
  let end = 0
  COMMAND.lastIndex = 0
  for (let found = COMMAND.exec(text); found !== null; found = COMMAND.exec(text)) {
    const words = (found[2] ?? '').split('\r\n').filter((_, index) => index % 2 === 1)
    if (words.length < Number(found[1])) break
    commands.push(words)
    end = COMMAND.lastIndex
  }
  return { commands, rest: text.slice(end) }
}

function responseTo(
  [name = '', key = '', value = '', ...options]: string[],
  values: Map<string, string>,
  sets: Map<string, Set<string>>,
): string {
  switch (name.toLowerCase()) {
    case 'set':
      if (options.includes('NX') && values.has(key)) return '$-1\r\n'
      values.set(key, value)
      return '+OK\r\n'
    case 'get': {
      const found = values.get(key)
      return found === undefined ? '$-1\r\n' : `$${found.length}\r\n${found}\r\n`
    }
    case 'del':
      return `:${values.delete(key) ? 1 : 0}\r\n`
    case 'smembers': {
      const members = [...(sets.get(key) ?? [])]
      return `*${members.length}\r\n${members.map(each => `$${each.length}\r\n${each}\r\n`).join('')}`
    }
    case 'eval':
      return `:${replace(options, values, sets)}\r\n`
    default:
      return '+OK\r\n'
  }
}

function replace(
  [key = '', set = '', version = '', next = '', member = '']: readonly string[],
  values: Map<string, string>,
  sets: Map<string, Set<string>>,
): 0 | 1 {
  if ((values.get(key)?.split('\n')[0] ?? '') !== version) return 0
  const members = sets.get(set) ?? new Set()
  sets.set(set, members)
  if (next === '') values.delete(key)
  else values.set(key, next)
  members[next === '' ? 'delete' : 'add'](member)
  return 1
}
