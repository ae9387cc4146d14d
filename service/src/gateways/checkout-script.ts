/** A gateway's own checkout, which a script of the gateway starts on our page. */
export interface CheckoutScript {
  /** The gateway whose sessions it can begin. */
  readonly gateway: string
  readonly src: string
  readonly mode: 'sandbox' | 'production'
  /** Other hosts that the page lets the script use, by directive of its content security policy. */
  readonly allows: {
    readonly script: readonly string[]
    readonly connect: readonly string[]
    readonly frame: readonly string[]
    readonly form: readonly string[]
  }
}
