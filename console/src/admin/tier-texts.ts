import { plural, texts } from '../language/texts.ts'

export const tiersTexts = texts({
  en: {
    title: 'Tiers',
    lead: 'The limits that a tier sets for each of its agents. Owners and platforms can only be stricter.',
    loading: 'Loading the tiers…',
    limits: {
      per_tx: 'One payment',
      daily: 'In 24 hours',
      monthly: 'In a month',
      escrow_above: 'Escrow above',
      approval_above: 'Approval above',
    },
    owners: 'Owners',
    ownersOf: (count: number) => plural.en(count, { one: '# owner', other: '# owners' }),
    change: 'Change',
    changeOne: (tier: string) => `Change ${tier}`,
    changeTitle: (tier: string) => `Limits of ${tier}`,
    wrong: 'An amount in rupees, with at most two decimals. 0 allows nothing.',
    nothing: 'Nothing is changed yet.',
    changes: 'This changes',
    fromTo: (limit: string, from: string, to: string) => `${limit}: ${from} → ${to}`,
    concerns: (count: number) =>
      plural.en(count, {
        one: 'It holds for the next payment of every agent of # owner.',
        other: 'It holds for the next payment of every agent of # owners.',
      }),
    act: (count: number) => plural.en(count, { one: 'Change for # owner', other: 'Change for # owners' }),
    done: (tier: string) => `The limits of ${tier} are changed`,
  },
  hi: {
    title: 'टियर',
    lead: 'सीमाएँ जो एक टियर अपने हर एजेंट के लिए तय करता है। मालिक और प्लेटफ़ॉर्म इन्हें केवल और सख़्त कर सकते हैं।',
    loading: 'टियर आ रहे हैं…',
    limits: {
      per_tx: 'एक भुगतान',
      daily: '24 घंटे में',
      monthly: 'एक महीने में',
      escrow_above: 'इससे ऊपर एस्क्रो',
      approval_above: 'इससे ऊपर मंज़ूरी',
    },
    owners: 'मालिक',
    ownersOf: count => plural.hi(count, { one: '# मालिक', other: '# मालिक' }),
    change: 'बदलें',
    changeOne: tier => `${tier} बदलें`,
    changeTitle: tier => `${tier} की सीमाएँ`,
    wrong: 'रुपयों में रक़म, ज़्यादा से ज़्यादा दो दशमलव। 0 कुछ नहीं होने देता।',
    nothing: 'अभी कुछ नहीं बदला।',
    changes: 'यह बदलेगा',
    fromTo: (limit, from, to) => `${limit}: ${from} → ${to}`,
    concerns: count =>
      plural.hi(count, {
        one: 'यह # मालिक के हर एजेंट के अगले भुगतान से लागू होगा।',
        other: 'यह # मालिकों के हर एजेंट के अगले भुगतान से लागू होगा।',
      }),
    act: count => plural.hi(count, { one: '# मालिक के लिए बदलें', other: '# मालिकों के लिए बदलें' }),
    done: tier => `${tier} की सीमाएँ बदल गईं`,
  },
})
