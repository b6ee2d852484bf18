// Makes the texts, the tokenizers and the reference tokens of TokenizerReferenceTest.
//
//   mkdir /tmp/tokens && cd /tmp/tokens && npm install tokenizers@0.23.2
//   cp .../make.mjs . && node make.mjs OUT
//
// The vocabularies are learned here, by small plain programs; the tokens are those of the package
// `tokenizers`, which the published models' files are written for.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { createRequire } from 'node:module'
const { Tokenizer } = createRequire(import.meta.url)('tokenizers')

const out = process.argv[2]
let state = 12345
function below(n) {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) % n
}
const pick = (list) => list[below(list.length)]

// ---- texts -----------------------------------------------------------------------------------
const words = {
  latin: ('the of and to in is was for on that with as by at from model memory gradient budget don\'t '
    + 'it\'s we\'re I\'ve they\'ll He\'d I\'m DON\'T WE\'RE naïve café résumé Ärger Straße größer ŁÓDŹ İstanbul ısı '
    + 'niño garçon œuvre ﬁne ﬂow Ǆ ǆ x² H₂O ½ Ⅷ №5 ſtop it\'ſ').split(' '),
  greek: 'το και Σίσυφος ΟΔΥΣΣΕΥΣ λόγος ἄνθρωπος ΐ ά'.split(' '),
  cyrillic: 'и в не на я быть он с что Ёлка йод объём Україна їжак Ђорђе'.split(' '),
  hebrew: 'של את שָׁלוֹם עולם הוא לֹא'.split(' '),
  arabic: 'في من العربية مُحَمَّد السلام ١٢٣ ۴۵ لا كتاب ﷺ'.split(' '),
  indic: 'नमस्ते दुनिया क्षत्रिय हिन्दी বাংলা தமிழ் ಕನ್ನಡ १२३ ไทย ภาษา ကမ္ဘာ'.split(' '),
  cjk: '日本語 中文 漢字 東京都 ひらがな カタカナ ｶﾀｶﾅ 한국어 안녕하세요 각 𠮷野家 。 、 「引用」 １２３ ＡＢＣ　全角'.split(' '),
  other: 'ქართული Հայերեն አማርኛ ᏣᎳᎩ ᠮᠣᠩᠭᠣᠯ ⴰⵎⴰⵣⵉⵖ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈𐌹𐍂 ⠃⠗'.split(' '),
  emoji: '😀 👍🏽 👩‍👩‍👧‍👦 🇩🇪 ❤️ 🏳️‍🌈 1️⃣ 🤷🏿‍♀️ ☃ 🫠 ©️ ™'.split(' '),
  code: ['int[] a = new int[10];', 'if (x != null && y >= 0) {', '}', 'def f(x):\n    return x**2', '\treturn 0;',
    '#include <stdio.h>', 'SELECT * FROM t WHERE a=\'b\';', 'λx.x', 'a->b::c', 'https://example.org/a?b=c&d=%20',
    '"quoted \\"text\\""', '<div class="x">', '0xDEADBEEF', '3.14159e-10', '1234567890', '100,000.50', 'C:\\dir\\file',
    '/* ... */', '// ----', 'snake_case_name', 'camelCaseName', '`code`', '$x$', '@a', '~', '^_^', '\r\n', '__init__'],
  odd: ['\u00a0', '\u200b', '\u200d', '\ufeff', '\u3000', '\u2028', '\u0301', 'e\u0301\u0323', '\u0000', '\u0007', '\ufffd',
    '\u00ad', '\u2581', '\ue000', '\u{10ffff}', '\u{1F3FB}', '\u0345', '\u1e9e', '\u212b', '\u2126', '<s>', '</s>',
    '<|endoftext|>', '<|x|>', '[MASK]', 'tok', 'TOK', 'token', ' tok ', '<unk>', '<0x41>', '##a', 'Ġ', 'Ċ'],
}
const kinds = Object.keys(words)
const spaces = [' ', ' ', ' ', ' ', ' ', ' ', ' ', '  ', '   ', '\t', '', '', '\n', ' \n ', '.', ', ', '! ', '-', '\u00a0']
function line() {
  const kind = pick(kinds)
  let text = below(12) === 0 ? pick(spaces) : ''
  const n = 1 + below(12)
  for (let i = 0; i < n; i++) {
    const from = below(3) === 0 ? pick(kinds) : kind
    text += pick(words[from]) + (i + 1 < n || below(8) === 0 ? pick(spaces) : '')
  }
  return text
}
const lines = []
for (let i = 0; i < 10000; i++) lines.push(line())

// ---- vocabularies ----------------------------------------------------------------------------
const shown = (() => {
  const map = []
  let other = 256
  for (let b = 0; b < 256; b++) {
    const seen = (b > 32 && b < 127) || (b > 160 && b !== 173)
    map.push(String.fromCharCode(seen ? b : other++))
  }
  return map
})()
const bytes = (text) => [...Buffer.from(text, 'utf8')].map((b) => shown[b]).join('')
const GPT2 = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu
const LLAMA3 = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
const QWEN2 = LLAMA3.replace('\\p{N}{1,3}', '\\p{N}')

/** Byte-pair merges of counted words, each a list of symbols. */
function merges(counted, count) {
  const all = []
  for (let n = 0; n < count; n++) {
    const pairs = new Map()
    for (const [symbols, times] of counted)
      for (let i = 0; i + 1 < symbols.length; i++) {
        const key = symbols[i] + ' ' + symbols[i + 1]
        pairs.set(key, (pairs.get(key) ?? 0) + times)
      }
    let best = ''
    let most = 1
    for (const [key, times] of pairs) if (times > most || (times === most && key < best)) { best = key; most = times }
    if (most < 2) break
    const [a, b] = best.split(' ')
    all.push([a, b])
    for (const entry of counted) {
      const s = entry[0]
      if (!s.includes(a)) continue
      const next = []
      for (let i = 0; i < s.length; i++)
        if (i + 1 < s.length && s[i] === a && s[i + 1] === b) { next.push(a + b); i++ } else next.push(s[i])
      entry[0] = next
    }
  }
  return all
}
function count(pieces) {
  const all = new Map()
  for (const p of pieces) all.set(p, (all.get(p) ?? 0) + 1)
  return [...all].map(([text, times]) => [[...text], times])
}
const some = lines.filter((_, i) => i % 4 === 0)
const numbered = (texts) => Object.fromEntries([...new Set(texts)].map((t, i) => [t, i]))

const byteMerges = merges(count(some.flatMap((l) => l.match(GPT2) ?? []).map(bytes)), 700)
const byteVocab = numbered([...shown, ...byteMerges.map(([a, b]) => a + b)])

const signed = (l) => '\u2581' + l.replaceAll(' ', '\u2581')
const plain = some.filter((l) => !l.includes('<'))
const charMerges = merges(count(plain.flatMap((l) => signed(l).split(/(?=\u2581)/u))), 700)
const common = [...new Set(plain.join(''))].filter((c, i) => i % 5 !== 0 && c !== ' ')
const fallback = [...Array(256).keys()].map((b) => '<0x' + b.toString(16).toUpperCase().padStart(2, '0') + '>')
const charVocab = numbered(['<unk>', '<s>', '</s>', ...fallback, '\u2581', ...common,
  ...charMerges.flatMap(([a, b]) => [a, b, a + b])])

/** Frequent stretches of words. */
function stretches(pieces, most) {
  const all = new Map()
  for (const p of pieces) {
    const c = [...p]
    for (let i = 0; i < c.length; i++)
      for (let n = 1; n <= 6 && i + n <= c.length; n++) {
        const text = c.slice(i, i + n).join('')
        all.set(text, (all.get(text) ?? 0) + 1)
      }
  }
  return [...all].filter(([t, times]) => times > 3).sort((a, b) => b[1] * [...b[0]].length - a[1] * [...a[0]].length
    || (a[0] < b[0] ? -1 : 1)).slice(0, most)
}
const bare = plain.flatMap((l) => l.toLowerCase().normalize('NFD').replace(/\p{Mn}/gu, '').split(/[\s\p{P}]+/u)).filter((w) => w)
const pieceVocab = numbered(['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]',
  ...stretches(bare, 500).flatMap(([t]) => [t, '##' + t]), ...'.,!?\'"()[]{}<>=+-*/&%$#@;:_|\\'])
const scored = stretches(plain.flatMap((l) => signed(l.normalize('NFKC')).split(/(?=\u2581)/u)), 900)
const total = scored.reduce((s, [, n]) => s + n, 0)
const unigram = [['<pad>', 0], ['</s>', 0], ['<unk>', 0],
  ...scored.map(([t, n]) => [t, Math.log(n / total)])]

// ---- tokenizers ------------------------------------------------------------------------------
const added = (id, content, more = {}) => ({ id, content, single_word: false, lstrip: false, rstrip: false,
  normalized: false, special: true, ...more })
const template = (before, after) => ({ type: 'TemplateProcessing',
  single: [...before.map(([t]) => ({ SpecialToken: { id: t, type_id: 0 } })), { Sequence: { id: 'A', type_id: 0 } },
    ...after.map(([t]) => ({ SpecialToken: { id: t, type_id: 0 } }))],
  pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
  special_tokens: Object.fromEntries([...before, ...after].map(([t, n]) => [t, { id: t, ids: [n], tokens: [t] }])) })
const whole = (parts) => ({ version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null,
  pre_tokenizer: null, post_processor: null, decoder: null, ...parts })
const bpe = (vocab, pairs, more = {}) => ({ type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null,
  end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges: false, vocab, merges: pairs, ...more })
const byteLevel = (space, regex) => ({ type: 'ByteLevel', add_prefix_space: space, trim_offsets: true, use_regex: regex })
const end = Object.keys(byteVocab).length
const last = Object.keys(charVocab).length
const split = (regex) => ({ type: 'Split', pattern: { Regex: regex }, behavior: 'Isolated', invert: false })
const all = {
  gpt2: whole({ added_tokens: [added(end, '<|endoftext|>')], pre_tokenizer: byteLevel(false, true),
    post_processor: byteLevel(true, true), decoder: byteLevel(true, true),
    model: bpe(byteVocab, byteMerges.map(([a, b]) => a + ' ' + b)) }),
  roberta: whole({ added_tokens: [added(end, '<s>'), added(end + 1, '</s>'), added(end + 2, '<mask>', { lstrip: true })],
    pre_tokenizer: byteLevel(true, true), decoder: byteLevel(true, true),
    post_processor: { type: 'RobertaProcessing', sep: ['</s>', end + 1], cls: ['<s>', end], trim_offsets: true, add_prefix_space: true },
    model: bpe(byteVocab, byteMerges) }),
  llama3: whole({ added_tokens: [added(end, '<|x|>'), added(end + 1, '<|endoftext|>')],
    pre_tokenizer: { type: 'Sequence', pretokenizers: [split(LLAMA3), byteLevel(false, false)] },
    post_processor: { type: 'Sequence', processors: [byteLevel(true, false), template([['<|x|>', end]], [])] },
    decoder: byteLevel(true, true), model: bpe(byteVocab, byteMerges, { ignore_merges: true }) }),
  qwen2: whole({ added_tokens: [added(end, '<|endoftext|>')], normalizer: { type: 'NFC' },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [split(QWEN2), byteLevel(false, false)] },
    post_processor: byteLevel(false, false), decoder: byteLevel(false, false), model: bpe(byteVocab, byteMerges) }),
  llama2: whole({ added_tokens: [added(0, '<unk>'), added(1, '<s>'), added(2, '</s>')],
    normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '\u2581' },
      { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' }] },
    post_processor: template([['<s>', 1]], []),
    decoder: { type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: '\u2581' }, content: ' ' },
      { type: 'ByteFallback' }, { type: 'Fuse' }, { type: 'Strip', content: ' ', start: 1, stop: 0 }] },
    model: bpe(charVocab, charMerges, { unk_token: '<unk>', fuse_unk: true, byte_fallback: true }) }),
  gemma: whole({ added_tokens: [added(0, '<unk>'), added(last, '<|x|>', { special: false })],
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' },
    pre_tokenizer: { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious', invert: false },
    decoder: { type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: '\u2581' }, content: ' ' },
      { type: 'ByteFallback' }, { type: 'Fuse' }] },
    model: bpe(charVocab, charMerges, { unk_token: '<unk>', fuse_unk: true, byte_fallback: true }) }),
  unknowns: whole({ pre_tokenizer: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'first', split: true },
    added_tokens: [added(charVocab['tok'] ?? last + 3, 'tok', { single_word: true, special: false }),
      added(charVocab['TOK'] ?? last + 4, 'TOK', { lstrip: true, rstrip: true, special: false }),
      added(last, '<S>', { normalized: true, special: false })],
    normalizer: { type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'Lowercase' }, { type: 'StripAccents' }] },
    decoder: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'first', split: true },
    model: bpe(charVocab, charMerges, { unk_token: '<unk>', fuse_unk: true }) }),
  bert: whole({ added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((t) => added(pieceVocab[t], t)),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' }, post_processor: template([['[CLS]', 2]], [['[SEP]', 3]]),
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab: pieceVocab } }),
  cased: whole({ added_tokens: [added(1, '[UNK]')], normalizer: { type: 'Strip', strip_left: true, strip_right: true },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, { type: 'Punctuation', behavior: 'Isolated' },
      { type: 'Digits', individual_digits: true }] },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: false },
    model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 7, vocab: pieceVocab } }),
  words: whole({ pre_tokenizer: { type: 'Whitespace' }, normalizer: { type: 'NFKD' },
    model: { type: 'WordLevel', unk_token: '[UNK]', vocab: pieceVocab } }),
  unigram: whole({ added_tokens: [added(1, '</s>')],
    normalizer: { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }] },
    pre_tokenizer: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true },
    decoder: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true },
    post_processor: template([], [['</s>', 1]]),
    model: { type: 'Unigram', unk_id: 2, vocab: unigram, byte_fallback: false } }),
}

// ---- references ------------------------------------------------------------------------------
const sha = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16)
const expected = {}
for (const [name, json] of Object.entries(all)) {
  const text = JSON.stringify(json)
  const tokenizer = Tokenizer.fromString(text)
  const ids = []
  const texts = []
  for (const l of lines) {
    const encoding = await tokenizer.encode(l, null, { addSpecialTokens: true })
    ids.push(encoding.getIds())
    texts.push(await tokenizer.decode(encoding.getIds(), true))
  }
  const blocks = []
  for (let i = 0; i < lines.length; i += 100) {
    const slice = ids.slice(i, i + 100).map((x) => x.join(' ')).join('\n')
    blocks.push(sha(slice) + sha(texts.slice(i, i + 100).join('\0')))
  }
  expected[name] = { blocks, lines: ids.slice(0, 60), texts: texts.slice(0, 60) }
  writeFileSync(`${out}/${name}.json.gz`, gzipSync(text, { level: 9 }))
  console.log(name, ids.reduce((s, x) => s + x.length, 0), 'tokens')
}
writeFileSync(`${out}/lines.json.gz`, gzipSync(JSON.stringify(lines), { level: 9 }))
writeFileSync(`${out}/expected.json.gz`, gzipSync(JSON.stringify(expected), { level: 9 }))
