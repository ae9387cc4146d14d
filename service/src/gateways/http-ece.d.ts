/** What is used of the package: the content encoding of RFC 8188 with the keys of RFC 8291. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  interface Options {
    readonly version: 'aes128gcm'
    /** The public key of the browser, base64url. */
    readonly dh: string
    /** The secret of the browser, base64url. */
    readonly authSecret: string
    /** A key that is used once. */
    readonly privateKey: ECDH
    /** Bytes of padding. */
    readonly pad: number
  }

  const ece: { encrypt(content: Buffer, options: Options): Buffer }
  export default ece
}
