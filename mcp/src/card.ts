/** The card that clients with MCP Apps show for a wallet, a payment and an approval. */
export const CARD = { uri: 'ui://batua/card' } as const
