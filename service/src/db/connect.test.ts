import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { DatabaseUnavailable, openDatabase } from './database.ts'

let server: Server | null = null
afterEach(() => {
  server?.close()
})

/** A message of the server's: its letter, its length, its body. */
function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const LET_IN = message('R', Buffer.alloc(4))
const READY = message('Z', Buffer.from('I'))
const SENT_AWAY = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
)

test('a connection that is cut as soon as it is established is reported as lost, and the process goes on', async () => {
  server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([LET_IN, READY, SENT_AWAY])))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const database = openDatabase(`postgresql://nobody@127.0.0.1:${port}/none`)
  const connection = await database.connect()
  const lost = new Promise<Error>(resolve => {
    connection.onLost(resolve)
  })
  expect(await lost).toBeInstanceOf(DatabaseUnavailable)
  await expect(connection.query('select 1', [])).rejects.toBeInstanceOf(DatabaseUnavailable)
  await database.close()
})
