import type { Socket } from 'node:net'
import { AnswerTooLong } from './unanswered.ts'

/** All that comes after a request: ten answers before the answer, its headers, and its body in the smallest chunks. */
const MAX_ANSWER_BYTES = 512 * 1024

/**
 * Ends a connection on which more comes than any answer is long. The parser limits headers and the exchange bodies;
 * neither hears of empty lines, of a reason or of what else a chunk may say, and reading them as fast as they come
 * would take up a processor.
 */
export function limitAnswers(socket: Socket): void {
  let written = -1
  let readBefore = 0
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      readBefore = socket.bytesRead
    }
    if (socket.bytesRead - readBefore > MAX_ANSWER_BYTES) socket.destroy(new AnswerTooLong())
  })
}
