"""How to cite epstar and the papers whose theorems its answers name."""

from __future__ import annotations

import re
from importlib.metadata import version
from unicodedata import normalize

_EPSTAR = """\
@software{{epstar,
  author  = {{{{The epstar authors}}}},
  title   = {{epstar: the least privacy loss at a given distortion, with proofs}},
  version = {{{version}}},
  license = {{Apache-2.0}}
}}"""

_PAPERS = {
    "alvim2011": """\
@techreport{alvim2011,
  author      = {Alvim, M{\\'a}rio S. and Andr{\\'e}s, Miguel E. and Chatzikokolakis, Konstantinos and
                 Degano, Pierpaolo and Palamidessi, Catuscia},
  title       = {Differential Privacy: on the trade-off between Utility and Information Leakage},
  institution = {Inria},
  number      = {inria-00580122v2},
  year        = {2011}
}""",
    "kalantari2018": """\
@article{kalantari2018,
  author  = {Kalantari, Kousha and Sankar, Lalitha and Sarwate, Anand D.},
  title   = {Robust Privacy-Utility Tradeoffs under Differential Privacy and {Hamming} Distortion},
  journal = {IEEE Transactions on Information Forensics and Security},
  volume  = {13},
  number  = {11},
  pages   = {2816--2830},
  year    = {2018}
}""",
    "ngo2024": """\
@misc{ngo2024,
  author = {Ngo, Khac-Hoang and {\\"O}stman, Johan and Graell i Amat, Alexandre},
  title  = {Local Mutual-Information Differential Privacy},
  year   = {2024}
}""",
    "vanerven2014": """\
@article{vanerven2014,
  author  = {van Erven, Tim and Harremo{\\"e}s, Peter},
  title   = {R{\\'e}nyi Divergence and {K}ullback-{L}eibler Divergence},
  journal = {IEEE Transactions on Information Theory},
  volume  = {60},
  number  = {7},
  pages   = {3797--3820},
  year    = {2014}
}""",
    "wang2016": """\
@article{wang2016,
  author  = {Wang, Weina and Ying, Lei and Zhang, Junshan},
  title   = {On the Relation Between Identifiability, Differential Privacy, and Mutual-Information Privacy},
  journal = {IEEE Transactions on Information Theory},
  volume  = {62},
  number  = {9},
  pages   = {5018--5029},
  year    = {2016}
}""",
    "zhong2022": """\
@misc{zhong2022,
  author = {Zhong, Hao and Bu, Kaifeng},
  title  = {Privacy-Utility Trade-Off},
  eprint = {2204.12057},
  archiveprefix = {arXiv},
  year   = {2022}
}""",
}


def papers_named(text: str) -> tuple[str, ...]:
    """Return the keys of the papers that a text names, in order of appearance.

    >>> papers_named("alvim2011, Theorem 1; zhong2022, Lemma 20(9) as corrected")
    ('alvim2011', 'zhong2022')
    """
    return tuple(dict.fromkeys(key for key in re.findall(r"[a-z]+\d{4}", text) if key in _PAPERS))


def by_authors(text: str) -> str:
    """Return a text with the keys of papers replaced by their authors and years.

    >>> by_authors("alvim2011, Theorem 1; zhong2022, Lemma 20(9) as corrected")
    'Alvim et al. (2011), Theorem 1; Zhong and Bu (2022), Lemma 20(9) as corrected'
    """
    for key in papers_named(text):
        text = re.sub(rf"\b{key}\b", _authors(key), text)
    return text


_MOST_AUTHORS = 3
_ACCENTS = {"'": "\N{COMBINING ACUTE ACCENT}", '"': "\N{COMBINING DIAERESIS}"}


def _authors(key: str) -> str:
    found = re.search(r"author\s*= \{(.*?)\},\n", _PAPERS[key], re.DOTALL)
    assert found is not None
    written = re.sub(r"\{\\(['\"])(\w)\}", lambda accent: accent[2] + _ACCENTS[accent[1]], found[1])
    names = [name.partition(",")[0] for name in re.split(r"\s+and\s+", normalize("NFC", written))]
    if len(names) > _MOST_AUTHORS:
        return f"{names[0]} et al. ({key[-4:]})"
    return f"{', '.join(names[:-1])} and {names[-1]} ({key[-4:]})" if len(names) > 1 else f"{names[0]} ({key[-4:]})"


def bibliography(text: str = "") -> str:
    """Return BibTeX entries for epstar and for each paper that a text names by its key.

    >>> print(bibliography("kalantari2018, Theorem 1").count("@"))
    2
    """
    return "\n\n".join([_EPSTAR.format(version=version("epstar")), *(_PAPERS[key] for key in papers_named(text))])
