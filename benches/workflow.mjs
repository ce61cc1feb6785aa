// Workflows as Texera's editor makes them, and versions of them. All of it follows from numbers, so every run and every
// process has the same ones. 1,000 operators are 970 KB of text.

/** What the properties of the kinds look like. `n` is another number for every version of an operator. */
const KINDS = [
  [
    "CSVFileScan",
    "CSV File Scan",
    0,
    (n) => ({
      fileName: `/lab/survey-${n}.csv`,
      fileEncoding: "UTF_8",
      hasHeader: true,
      limit: n,
    }),
  ],
  [
    "Filter",
    "Filter rows",
    1,
    (n) => ({
      predicates: [
        { attribute: "age", condition: ">", value: String(n) },
        { attribute: "country", condition: "=", value: "NZ" },
      ],
    }),
  ],
  [
    "Projection",
    "Keep columns",
    1,
    (n) => ({
      attributes: ["id", `score_${n}`].map((originalAttribute) => ({ originalAttribute, alias: "" })),
      isDrop: false,
    }),
  ],
  [
    "HashJoin",
    "Join on id",
    2,
    (n) => ({ buildAttributeName: "id", probeAttributeName: `id_${n}`, joinType: "inner" }),
  ],
  [
    "Aggregate",
    "Sum by country",
    1,
    (n) => ({
      aggregations: [{ aggFunction: "sum", attribute: "income", "result attribute": `sum_${n}` }],
      groupByKeys: ["country"],
    }),
  ],
  [
    "PythonUDFV2",
    "Clean the text",
    1,
    (n) => ({
      code: code(n),
      workers: 1,
      retainInputColumns: true,
      outputColumns: [{ attributeName: "cleaned", attributeType: "string" }],
    }),
  ],
  [
    "Sort",
    "Sort",
    1,
    (n) => ({
      attributes: [{ attribute: `score_${n}`, sortPreference: "DESC" }],
    }),
  ],
  ["BarChart", "Bar chart", 1, (n) => ({ value: "income", fields: "country", categoryColumn: `No Selection ${n}` })],
];

const code = (n) => `from pytexera import *

class ProcessTupleOperator(UDFOperatorV2):
    @overrides
    def process_tuple(self, tuple_: Tuple, port: int) -> Iterator[Optional[TupleLike]]:
        text = tuple_["text"].strip().lower()
        if len(text) > ${n}:
            tuple_["cleaned"] = " ".join(text.split())
        yield tuple_
`;

/**
 * A workflow as the texts of its operators and the text of everything else, so that another version costs what is
 * different in it: {operators, rest, version}.
 */
export function workflow(size) {
  const ids = Array.from({ length: size }, (_, at) => `${KINDS[at % KINDS.length][0]}-operator-${uuid(at)}`);
  const positions = ids.map((id, at) => [id, { x: 180 * (at % 40) + (at % 7), y: 120 * Math.floor(at / 40) }]);
  const links = ids.slice(1).map((target, at) => ({
    linkID: `link-${uuid(size + at)}`,
    source: { operatorID: ids[at], portID: "output-0" },
    target: { operatorID: target, portID: "input-0" },
  }));
  const rest = {
    operatorPositions: Object.fromEntries(positions),
    links,
    commentBoxes: [],
    settings: { dataTransferBatchSize: 400, executionMode: "PIPELINED" },
  };
  return { operators: ids.map((_, at) => operator(at, at)), rest: JSON.stringify(rest).slice(1), version: 0 };
}

/** The next version: so many of the operators, here and there, have other properties. */
export function changed({ operators, rest, version }, count) {
  const next = [...operators];
  const stride = Math.floor(operators.length / count);
  for (let change = 0; change < count; change++) {
    const at = change * stride + (hash(version * count + change) % stride);
    next[at] = operator(at, 10_000_000 + version);
  }
  return { operators: next, rest, version: version + 1 };
}

/** Its content as JSON text, in one piece like the text of a frame that came from a socket. */
export function contentOf({ operators, rest }) {
  return inOnePiece(`{"operators":[${operators.join()}],${rest}`);
}

/** The same text, no longer put together from others when it is first read. */
export function inOnePiece(text) {
  return Buffer.from(text).toString();
}

function operator(at, n) {
  const [operatorType, customDisplayName, inputs, properties] = KINDS[at % KINDS.length];
  const port = (portID, more) => ({
    portID,
    displayName: "",
    disallowMultiInputs: false,
    isDynamicPort: false,
    ...more,
  });
  return JSON.stringify({
    operatorID: `${operatorType}-operator-${uuid(at)}`,
    operatorType,
    operatorVersion: "N/A",
    operatorProperties: properties(n),
    inputPorts: Array.from({ length: inputs }, (_, input) => port(`input-${input}`, { dependencies: [] })),
    outputPorts: [port("output-0")],
    showAdvanced: false,
    isDisabled: false,
    customDisplayName,
    dynamicInputPorts: false,
    dynamicOutputPorts: false,
  });
}

function uuid(n) {
  const digits = [1, 2, 3, 4]
    .map((part) =>
      hash(4 * n + part)
        .toString(16)
        .padStart(8, "0"),
    )
    .join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** A number of 32 bits that looks like any other. (The finaliser of MurmurHash3, Appleby.) */
function hash(n) {
  n = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  n = Math.imul(n ^ (n >>> 13), 0xc2b2ae35);
  return (n ^ (n >>> 16)) >>> 0;
}
